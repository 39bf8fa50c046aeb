import { useEffect, useRef, type RefObject } from 'react';

/**
 * Escape that nobody else wanted (B13): not the composer while editing or replying, no dialog, no composition, nothing
 * outside of `place`, and nothing while it lies out of reach under something else.
 */
export const useEscape = (place: RefObject<HTMLElement | null>, onEscape: () => void): void => {
  const act = useRef(onEscape);
  useEffect(() => {
    act.current = onEscape;
  });
  useEffect(() => {
    // Asked before anybody has heard of the key: a dialog may be gone when it comes by here.
    let isTaken = false;
    const look = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') isTaken = document.querySelector('[role="dialog"]') !== null;
    };
    // Heard after everybody else; who wants it for himself stops it on the way.
    const listen = (event: KeyboardEvent): void => {
      const here = place.current;
      if (event.key !== 'Escape' || event.defaultPrevented || isTaken || event.isComposing) return;
      if (!here || here.closest('[inert]')) return;
      if (event.target === document.body || here.contains(event.target as Node)) act.current();
    };
    window.addEventListener('keydown', look, { capture: true });
    window.addEventListener('keydown', listen);
    return () => {
      window.removeEventListener('keydown', look, { capture: true });
      window.removeEventListener('keydown', listen);
    };
  }, [place]);
};
