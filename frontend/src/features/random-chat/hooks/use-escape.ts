import { useEffect, useRef, type RefObject } from 'react';
import { useToasts } from '@/ui/toast-store';

export interface EscapePress {
  /** The key also closes an open toast. It may then cancel something, but not start anything. */
  isForToast: boolean;
}

/**
 * Calls `onEscape` for an Escape that nothing else handles (B13): no edit or reply in the composer, no dialog, no IME
 * composition. Only for events from `place` or the body, and not while `place` is inert.
 */
export const useEscape = (
  place: RefObject<HTMLElement | null>,
  onEscape: (press: EscapePress) => void,
): void => {
  const act = useRef(onEscape);
  useEffect(() => {
    act.current = onEscape;
  });
  useEffect(() => {
    // In the capture phase: what the key closes may be gone when the event bubbles up to `listen`.
    let isTaken = false;
    let isForToast = false;
    const look = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      isForToast = useToasts.getState().shown?.isOpen === true;
      isTaken = document.querySelector('[role="dialog"]') !== null;
    };
    // Bubble phase on window: earlier handlers may stop the propagation.
    const listen = (event: KeyboardEvent): void => {
      const here = place.current;
      if (event.key !== 'Escape' || isTaken || event.isComposing) return;
      if (!here || here.closest('[inert]')) return;
      if (event.target === document.body || here.contains(event.target as Node)) act.current({ isForToast });
    };
    window.addEventListener('keydown', look, { capture: true });
    window.addEventListener('keydown', listen);
    return () => {
      window.removeEventListener('keydown', look, { capture: true });
      window.removeEventListener('keydown', listen);
    };
  }, [place]);
};
