import { useEffect, useRef } from 'react';
import { newId } from '@/lib/new-id';

interface EntryState {
  overlay?: unknown;
}

/** Whether the current history entry was added by an overlay that has no address. */
export const isOverlayEntry = (): boolean => (history.state as EntryState | null)?.overlay !== undefined;

/**
 * Lets the browser's Back button close an open overlay that has no address, such as a sheet or a photo. Adds a history
 * entry while `isOpen`, and removes it when the overlay is closed in another way.
 */
export const useCloseOnBack = (isOpen: boolean, close: () => void): void => {
  const latestClose = useRef(close);
  useEffect(() => {
    latestClose.current = close;
  });
  useEffect(() => {
    if (!isOpen) return;
    const overlay = newId();
    const isOnTop = (): boolean => (history.state as EntryState | null)?.overlay === overlay;
    let wasAdded = false;
    // Deferred, because StrictMode runs the effect, its clean-up, and the effect again. `history.back()` is
    // asynchronous: if the first run had added an entry, the clean-up would go back only after the second run had added
    // another one, and would remove that one.
    const timer = setTimeout(() => {
      wasAdded = true;
      history.pushState({ ...(history.state as object | null), overlay }, '');
    });
    const handlePopState = (): void => {
      if (wasAdded && !isOnTop()) latestClose.current();
    };
    window.addEventListener('popstate', handlePopState);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('popstate', handlePopState);
      // Only the current entry can be removed. An entry below another one stays: when the user later goes back from it,
      // nothing on the page changes.
      if (wasAdded && isOnTop()) history.back();
    };
  }, [isOpen]);
};
