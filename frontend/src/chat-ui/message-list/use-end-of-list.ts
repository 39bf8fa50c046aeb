import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Within this distance of the end the list counts as scrolled to its end. */
export const endThresholdPx = 80;
/** Events of a user who scrolls. Some assistive technology scrolls without any of them. */
const userActionEvents = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
/** A scroll or resize within this time of a user action or a resize is attributed to it. */
const recentMs = 1_000;
/** Frames without a change of position or height after which the list has reached its start position. */
const framesUntilSettled = 3;

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
  const [lastKeyBeforeLeaving, setLastKeyBeforeLeaving] = useState<string | null>(null);
  const [keyBeforeStart] = useState(startsAfter);
  const hasReachedStart = useRef(false);
  const newest = useRef(newestKey);
  useEffect(() => {
    newest.current = newestKey;
  }, [newestKey]);

  /** Time of the last user action that may scroll the list, by `performance.now()`. */
  const lastUserActionAt = useRef(-Infinity);
  const noteUserAction = useCallback(() => {
    lastUserActionAt.current = performance.now();
  }, []);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    let isStarting = keyBeforeStart !== null;
    let isAtEnd = !isStarting;
    let lastTop = 0;
    let resizedAt = -Infinity;
    const isRecent = (time: number): boolean => performance.now() - time < recentMs;
    const scrollToEnd = (): void => {
      element.scrollTop = element.scrollHeight;
    };
    const handleScroll = (): void => {
      // The list is still scrolling to its start position, past rows of estimated height.
      if (isStarting) return;
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Only a user who scrolls up leaves the end: rows smaller than estimated also move the list up.
      const hasUserScrolledUp =
        scrollTop < lastTop && (isRecent(lastUserActionAt.current) || !isRecent(resizedAt));
      if (scrollHeight - scrollTop - clientHeight <= endThresholdPx) isAtEnd = true;
      else if (hasUserScrolledUp) isAtEnd = false;
      else if (isAtEnd) scrollToEnd();
      lastTop = scrollTop;
      hasReachedStart.current ||= isAtEnd;
      setLastKeyBeforeLeaving((key) => (isAtEnd ? null : (key ?? newest.current ?? null)));
    };

    let frame = 0;
    const waitForStart = (geometryBefore: string, framesUnchanged: number): void => {
      const geometry = `${element.scrollTop} ${element.scrollHeight}`;
      const unchangedFrames = geometry === geometryBefore ? framesUnchanged + 1 : 0;
      if (unchangedFrames < framesUntilSettled && !isRecent(lastUserActionAt.current)) {
        frame = requestAnimationFrame(() => waitForStart(geometry, unchangedFrames));
        return;
      }
      isStarting = false;
      hasReachedStart.current = true;
      lastTop = element.scrollTop;
      setLastKeyBeforeLeaving(keyBeforeStart);
      handleScroll();
    };
    if (isStarting) waitForStart('', 0);

    const observer = new ResizeObserver(() => {
      resizedAt = performance.now();
      if (isAtEnd) scrollToEnd();
    });
    observer.observe(element);
    observer.observe(content);
    element.addEventListener('scroll', handleScroll, { passive: true });
    const handleDrag = ({ buttons }: PointerEvent): void => {
      if (buttons !== 0) noteUserAction();
    };
    for (const name of userActionEvents) element.addEventListener(name, noteUserAction, { passive: true });
    element.addEventListener('pointermove', handleDrag, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', handleScroll);
      for (const name of userActionEvents) element.removeEventListener(name, noteUserAction);
      element.removeEventListener('pointermove', handleDrag);
    };
  }, [noteUserAction, scroller, keyBeforeStart]);

  return {
    /**
     * Key of the newest row when the list left its end, or of the row before the start; null while the end is in view.
     */
    lastKeyBeforeLeaving,
    /** Call before moving the list for the user by other means than scrolling. */
    noteUserAction,
    /**
     * Whether the list has reached its start position. Before that the first row may be in view for a moment; ignore
     * it.
     */
    hasReachedStart,
  };
};
