import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** So near to the end counts as at the end. */
export const endThresholdPx = 80;
/** What a person scrolls with; some of what reads a page aloud scrolls without any of it. */
const actions = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
const latelyMs = 1_000;

/**
 * Keeps a list at its end while it is there: the room shrinks (the skip bar, a keyboard on a phone) or a row grows,
 * and the end stays the end until a person goes up.
 * @param newestKey of the last row.
 */
export const useEndOfList = (scroller: RefObject<HTMLElement | null>, newestKey: string | undefined) => {
  const [leftAt, setLeftAt] = useState<string | null>(null);
  const hasBegun = useRef(false);
  const newest = useRef(newestKey);
  useEffect(() => {
    newest.current = newestKey;
  }, [newestKey]);

  /** When somebody last did what may move the list. */
  const actedAt = useRef(-Infinity);
  const act = useCallback(() => {
    actedAt.current = performance.now();
  }, []);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    let isAtEnd = true;
    let lastTop = 0;
    let resizedAt = -Infinity;
    const toEnd = (): void => {
      element.scrollTop = element.scrollHeight;
    };
    const remember = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Only who goes up leaves the end; but rows that turn out smaller than estimated move the list up, too.
      const isLately = (time: number): boolean => performance.now() - time < latelyMs;
      const hasGoneUp = scrollTop < lastTop && (isLately(actedAt.current) || !isLately(resizedAt));
      if (scrollHeight - scrollTop - clientHeight <= endThresholdPx) isAtEnd = true;
      else if (hasGoneUp) isAtEnd = false;
      else if (isAtEnd) toEnd();
      lastTop = scrollTop;
      hasBegun.current ||= isAtEnd;
      setLeftAt((key) => (isAtEnd ? null : (key ?? newest.current ?? null)));
    };
    const observer = new ResizeObserver(() => {
      resizedAt = performance.now();
      if (isAtEnd) toEnd();
    });
    observer.observe(element);
    observer.observe(content);
    element.addEventListener('scroll', remember, { passive: true });
    const dragged = ({ buttons }: PointerEvent): void => {
      if (buttons !== 0) act();
    };
    for (const name of actions) element.addEventListener(name, act, { passive: true });
    element.addEventListener('pointermove', dragged, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', remember);
      for (const name of actions) element.removeEventListener(name, act);
      element.removeEventListener('pointermove', dragged);
    };
  }, [act, scroller]);

  return {
    /** The newest row when the end went out of sight; null while it is in sight. */
    leftAt,
    /** Has to be called before the list is moved for a person otherwise than by scrolling. */
    act,
    /** It begins at its end; until it is there, its beginning is in sight for a moment and means nothing. */
    hasBegun,
  };
};
