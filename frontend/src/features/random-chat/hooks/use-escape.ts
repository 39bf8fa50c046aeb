import { useEffect, useRef, type RefObject } from 'react';
import { useToasts } from '@/ui/toast-store';

export interface EscapePress {
  /** The key also closes an open toast. It may then cancel something, but not start anything. */
  isForToast: boolean;
}

/**
 * Calls `onEscape` for an Escape that nothing else handles (B13): no edit or reply in the composer, no dialog, no IME
 * composition. Only for events from `container` or the body, and not while `container` is inert.
 */
export const useEscape = (
  container: RefObject<HTMLElement | null>,
  onEscape: (press: EscapePress) => void,
): void => {
  const latestOnEscape = useRef(onEscape);
  useEffect(() => {
    latestOnEscape.current = onEscape;
  });
  useEffect(() => {
    let isForDialog = false;
    let isForToast = false;
    // In the capture phase, because a dialog or toast that the key closes may be gone when `handleEscape` runs.
    const recordOpenLayers = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      isForToast = useToasts.getState().shown?.isOpen === true;
      isForDialog = document.querySelector('[role="dialog"]') !== null;
    };
    // In the bubble phase on window, so that other handlers run first and can stop the propagation.
    const handleEscape = (event: KeyboardEvent): void => {
      const element = container.current;
      if (event.key !== 'Escape' || isForDialog || event.isComposing) return;
      if (!element || element.closest('[inert]')) return;
      if (event.target === document.body || element.contains(event.target as Node))
        latestOnEscape.current({ isForToast });
    };
    window.addEventListener('keydown', recordOpenLayers, { capture: true });
    window.addEventListener('keydown', handleEscape);
    return () => {
      window.removeEventListener('keydown', recordOpenLayers, { capture: true });
      window.removeEventListener('keydown', handleEscape);
    };
  }, [container]);
};
