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
    // Deferred, because StrictMode runs the effect twice: going back is asynchronous, so the clean-up of the first run
    // would remove the entry of the second.
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
      // An entry below another one cannot be removed; Back passes over it.
      if (wasAdded && isOnTop()) history.back();
    };
  }, [isOpen]);
};
