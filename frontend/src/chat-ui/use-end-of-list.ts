import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** So near to the end counts as at the end. */
export const endThresholdPx = 80;
/** What a person scrolls with; some of what reads a page aloud scrolls without any of it. */
const actions = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
const recentlyMs = 1_000;
/** A list that keeps its place and its height for so many frames rests. */
const restingFrames = 3;

/**
 * Keeps a list at its end while it is there: the room shrinks (the skip bar, a keyboard on a phone) or a row grows,
 * and the end stays the end until a person goes up.
 * @param newestKey of the last row.
 * @param startsAfter the row before the one that the list is opened at; null when it is opened at its end.
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

  /** When a person last did what may move the list. */
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
      // On its way to where it is opened, past rows whose heights are estimated.
      if (isStarting) return;
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Only who goes up leaves the end; but rows that turn out smaller than estimated move the list up, too.
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
    /** The newest row when the end went out of sight, or the row before the start; null while the end is in sight. */
    leftAt,
    /** Has to be called before the list is moved for a person otherwise than by scrolling. */
    act,
    /** It is at its start; until then, its beginning is in sight for a moment and means nothing. */
    hasBegun,
  };
};
