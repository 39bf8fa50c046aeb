import { useEffect, useRef } from 'react';
import { newId } from '@/lib/new-id';

interface EntryState {
  overlay?: unknown;
}

/** The history entry on top was added by an overlay without an address of its own. */
export const isOverlayEntry = (): boolean => (history.state as EntryState | null)?.overlay !== undefined;

/**
 * While `isOpen`, the browser's Back closes the overlay and stays on the page: it adds one history entry, and removes
 * it when the overlay is closed in another way. For overlays that have no address, such as a sheet or a photo.
 */
export const useBackCloses = (isOpen: boolean, close: () => void): void => {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (!isOpen) return;
    const overlay = newId();
    const isOnTop = (): boolean => (history.state as EntryState | null)?.overlay === overlay;
    let wasAdded = false;
    // Not at once: StrictMode runs the effect twice, and going back takes its time.
    const timer = setTimeout(() => {
      wasAdded = true;
      history.pushState({ ...(history.state as object | null), overlay }, '');
    });
    const onPop = (): void => {
      if (wasAdded && !isOnTop()) latest.current();
    };
    window.addEventListener('popstate', onPop);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('popstate', onPop);
      if (wasAdded && isOnTop()) history.back();
    };
  }, [isOpen]);
};
