import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Within this distance from its end, the list counts as scrolled to its end. */
export const endThresholdPx = 80;
/** Events of a user who scrolls. Some assistive technology scrolls without any of them. */
const userActionEvents = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
/** A scroll within this time after a user action or a resize is attributed to it. */
const recentMs = 1_000;
/** After this number of frames without a change of position or height, the list is at its opening position. */
const framesUntilPositioned = 3;

/** @param time  by `performance.now()` */
const isRecent = (time: number): boolean => performance.now() - time < recentMs;

/** Notes when the user last did something that may scroll the list. */
const useUserActions = (scroller: RefObject<HTMLElement | null>) => {
  const lastActionAt = useRef(-Infinity);
  const noteUserAction = useCallback(() => {
    lastActionAt.current = performance.now();
  }, []);
  const hasRecentUserAction = useCallback(() => isRecent(lastActionAt.current), []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // A drag may continue for longer than `recentMs` after its `pointerdown`.
    const noteDrag = ({ buttons }: PointerEvent): void => {
      if (buttons !== 0) noteUserAction();
    };
    for (const name of userActionEvents) element.addEventListener(name, noteUserAction, { passive: true });
    element.addEventListener('pointermove', noteDrag, { passive: true });
    return () => {
      for (const name of userActionEvents) element.removeEventListener(name, noteUserAction);
      element.removeEventListener('pointermove', noteDrag);
    };
  }, [scroller, noteUserAction]);

  return { noteUserAction, hasRecentUserAction };
};

/**
 * Calls `onPositioned` once the list no longer moves, or `isInterrupted` returns true.
 * @returns a function that cancels the wait
 */
const waitUntilPositioned = (
  element: HTMLElement,
  isInterrupted: () => boolean,
  onPositioned: () => void,
): (() => void) => {
  let frame = 0;
  let previousGeometry = '';
  let unchangedFrames = 0;
  const check = (): void => {
    const geometry = `${element.scrollTop} ${element.scrollHeight}`;
    unchangedFrames = geometry === previousGeometry ? unchangedFrames + 1 : 0;
    previousGeometry = geometry;
    if (unchangedFrames >= framesUntilPositioned || isInterrupted()) onPositioned();
    else frame = requestAnimationFrame(check);
  };
  check();
  return () => cancelAnimationFrame(frame);
};

/**
 * Keeps a list scrolled to its end until the user scrolls up, also when the viewport shrinks (a bar or a phone's
 * keyboard appears) or a row grows.
 * @param newestKey  key of the last row
 * @param initialLastSeenKey  key of the row before the opening position, which counts as the last row that the user has
 * seen; null if the list opens at its end. Only the value of the first rendering has an effect.
 */
export const useEndOfList = (
  scroller: RefObject<HTMLElement | null>,
  newestKey: string | undefined,
  initialLastSeenKey: string | null = null,
) => {
  const [lastSeenKey, setLastSeenKey] = useState<string | null>(null);
  const [initialKey] = useState(initialLastSeenKey);
  const isPositioned = useRef(false);
  const { noteUserAction, hasRecentUserAction } = useUserActions(scroller);
  const newest = useRef(newestKey);
  useEffect(() => {
    newest.current = newestKey;
  }, [newestKey]);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    // A list that opens at its end is scrolled there by the resize observer; the scroll event sets `isPositioned`.
    let isPositioning = initialKey !== null;
    let isAtEnd = !isPositioning;
    let lastTop = 0;
    let resizedAt = -Infinity;
    const scrollToEnd = (): void => {
      element.scrollTop = element.scrollHeight;
    };

    const handleScroll = (): void => {
      // The list is still scrolling to its opening position, past rows of estimated height.
      if (isPositioning) return;
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isNearEnd = scrollHeight - scrollTop - clientHeight <= endThresholdPx;
      // Just after a resize, the list also moves up by itself, when rows turn out smaller than estimated. At any other
      // time the user has scrolled, possibly with assistive technology that causes none of `userActionEvents`.
      const mayMoveByItself = isRecent(resizedAt) && !hasRecentUserAction();
      const hasUserScrolledUp = scrollTop < lastTop && !mayMoveByItself;
      lastTop = scrollTop;
      if (isNearEnd) isAtEnd = true;
      else if (hasUserScrolledUp) isAtEnd = false;
      else if (isAtEnd) scrollToEnd();

      if (isAtEnd) {
        isPositioned.current = true;
        setLastSeenKey(null);
      } else {
        // When the user leaves the end, the newest row is the last that they have seen.
        setLastSeenKey((key) => key ?? newest.current ?? null);
      }
    };

    const finishPositioning = (): void => {
      isPositioning = false;
      isPositioned.current = true;
      lastTop = element.scrollTop;
      setLastSeenKey(initialKey);
      handleScroll();
    };
    const cancelPositioning = isPositioning
      ? waitUntilPositioned(element, hasRecentUserAction, finishPositioning)
      : undefined;

    const observer = new ResizeObserver(() => {
      resizedAt = performance.now();
      if (isAtEnd) scrollToEnd();
    });
    observer.observe(element);
    observer.observe(content);
    element.addEventListener('scroll', handleScroll, { passive: true });
    return () => {
      cancelPositioning?.();
      observer.disconnect();
      element.removeEventListener('scroll', handleScroll);
    };
  }, [scroller, initialKey, hasRecentUserAction]);

  return {
    /**
     * Key of the row that was the newest when the user left the end, or of the row before the opening position. Null
     * while the end is in view.
     */
    lastSeenKey,
    /** Call this before a jump that the user has caused. Without it, the list may return to its end. */
    noteUserAction,
    /**
     * Whether the list has reached its opening position. Before that, the first row may be in view for a moment, which
     * does not mean that the user wants older rows.
     */
    isPositioned,
  };
};
