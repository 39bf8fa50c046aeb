import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Within this distance of the end the list counts as scrolled to its end. */
export const endThresholdPx = 80;
/** Events of users who scroll. Some assistive technology scrolls without any of them. */
const actions = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
const recentlyMs = 1_000;
/** Number of frames without a change of position or height after which the list counts as settled. */
const restingFrames = 3;

/**
 * Keeps a list scrolled to its end while it is there, when the viewport shrinks (skip bar, phone keyboard) or a row
 * grows, until the user scrolls up.
 * @param newestKey key of the last row.
 * @param startsAfter key of the row before the one that the list opens at; null when it opens at its end.
 */
export const useEndOfList = (
  scroller: RefObject<HTMLElement | null>,
  newestKey: string | undefined,
  startsAfter: string | null = null,
) => {
  const [leftAt, setLeftAt] = useState<string | null>(null);
  const [startKey] = useState(startsAfter);
  const hasBegun = useRef(false);
  const newest = useRef(newestKey);
  useEffect(() => {
    newest.current = newestKey;
  }, [newestKey]);

  /** Time of the last user action that may scroll the list, by `performance.now()`. */
  const actedAt = useRef(-Infinity);
  const act = useCallback(() => {
    actedAt.current = performance.now();
  }, []);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    let isStarting = startKey !== null;
    let isAtEnd = !isStarting;
    let lastTop = 0;
    let resizedAt = -Infinity;
    const isRecent = (time: number): boolean => performance.now() - time < recentlyMs;
    const toEnd = (): void => {
      element.scrollTop = element.scrollHeight;
    };
    const remember = (): void => {
      // The list is still scrolling to its start position, past rows of estimated height.
      if (isStarting) return;
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Only a user who scrolls up leaves the end: rows smaller than estimated also move the list up.
      const hasGoneUp = scrollTop < lastTop && (isRecent(actedAt.current) || !isRecent(resizedAt));
      if (scrollHeight - scrollTop - clientHeight <= endThresholdPx) isAtEnd = true;
      else if (hasGoneUp) isAtEnd = false;
      else if (isAtEnd) toEnd();
      lastTop = scrollTop;
      hasBegun.current ||= isAtEnd;
      setLeftAt((key) => (isAtEnd ? null : (key ?? newest.current ?? null)));
    };

    let frame = 0;
    const watchStart = (before: string, restedFor: number): void => {
      const place = `${element.scrollTop} ${element.scrollHeight}`;
      const rested = place === before ? restedFor + 1 : 0;
      if (rested < restingFrames && !isRecent(actedAt.current)) {
        frame = requestAnimationFrame(() => watchStart(place, rested));
        return;
      }
      isStarting = false;
      hasBegun.current = true;
      lastTop = element.scrollTop;
      setLeftAt(startKey);
      remember();
    };
    if (isStarting) watchStart('', 0);

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
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', remember);
      for (const name of actions) element.removeEventListener(name, act);
      element.removeEventListener('pointermove', dragged);
    };
  }, [act, scroller, startKey]);

  return {
    /**
     * Key of the newest row when the list left its end, or of the row before the start; null while the end is in view.
     */
    leftAt,
    /** Call before moving the list for the user by other means than scrolling. */
    act,
    /**
     * Whether the list has reached its start position. Before that the first row may be in view for a moment; ignore
     * it.
     */
    hasBegun,
  };
};
