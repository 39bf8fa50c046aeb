import { useEffect, useRef, type RefObject } from 'react';
import { useToasts } from '@/ui/toast-store';

export interface EscapePress {
  /** True if the key also closes an open toast. `onEscape` may then cancel an action, but must not start one. */
  isForToast: boolean;
}

/**
 * Calls `onEscape` when Escape is pressed, unless an edit or reply in the composer, a dialog or an IME uses the key
 * (docs/product-decisions.md, B13). The focus must be in `container` or on the body, and `container` must not be inert.
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
    let isDialogOpen = false;
    let isToastOpen = false;
    // In the capture phase: a dialog or toast that the key closes may be gone when `handleEscape` runs.
    const recordOpenLayers = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      isToastOpen = useToasts.getState().shown?.isOpen === true;
      isDialogOpen = document.querySelector('[role="dialog"]') !== null;
    };
    // In the bubble phase on window, so that other handlers, such as the composer's, can stop the propagation first.
    const handleEscape = (event: KeyboardEvent): void => {
      const element = container.current;
      if (event.key !== 'Escape' || isDialogOpen || event.isComposing) return;
      if (!element || element.closest('[inert]')) return;
      if (event.target === document.body || element.contains(event.target as Node))
        latestOnEscape.current({ isForToast: isToastOpen });
    };
    window.addEventListener('keydown', recordOpenLayers, { capture: true });
    window.addEventListener('keydown', handleEscape);
    return () => {
      window.removeEventListener('keydown', recordOpenLayers, { capture: true });
      window.removeEventListener('keydown', handleEscape);
    };
  }, [container]);
};
