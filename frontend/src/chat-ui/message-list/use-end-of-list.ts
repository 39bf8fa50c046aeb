import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Within this distance from its end, the list counts as scrolled to its end. */
export const endThresholdPx = 80;
/** Events of a user who scrolls. Some assistive technology scrolls without any of them. */
const userActionEvents = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
/** A scroll within this time after a user action or a resize is attributed to it. */
const recentMs = 1_000;
/** After this number of frames without a change of position or height, the list is at its opening position. */
const framesUntilPositioned = 3;

/**
 * Keeps a list scrolled to its end until the user scrolls up, also when the viewport shrinks (a bar or a phone's
 * keyboard appears) or a row grows.
 * @param newestKey  key of the last row
 * @param initialLastSeenKey  key of the row before the one at which the list opens, as the last row that the user has
 * seen; null if the list opens at its end. A later change has no effect.
 */
export const useEndOfList = (
  scroller: RefObject<HTMLElement | null>,
  newestKey: string | undefined,
  initialLastSeenKey: string | null = null,
) => {
  const [lastSeenKey, setLastSeenKey] = useState<string | null>(null);
  const [lastSeenKeyAtOpening] = useState(initialLastSeenKey); // the value of the first rendering
  const isPositioned = useRef(false);
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
    // A list that opens at its end is scrolled there by the resize observer; the scroll event sets `isPositioned`.
    let isPositioning = lastSeenKeyAtOpening !== null;
    let isAtEnd = !isPositioning;
    let lastTop = 0;
    let resizedAt = -Infinity;
    const isRecent = (time: number): boolean => performance.now() - time < recentMs;
    const scrollToEnd = (): void => {
      element.scrollTop = element.scrollHeight;
    };
    const handleScroll = (): void => {
      // The list is still scrolling to its opening position, past rows of estimated height.
      if (isPositioning) return;
      const { scrollTop, scrollHeight, clientHeight } = element;
      // The list also moves up when rows turn out smaller than estimated, but only just after a resize. At any other
      // time the user has scrolled, possibly with assistive technology that causes none of `userActionEvents`.
      const hasUserScrolledUp =
        scrollTop < lastTop && (isRecent(lastUserActionAt.current) || !isRecent(resizedAt));
      if (scrollHeight - scrollTop - clientHeight <= endThresholdPx) isAtEnd = true;
      else if (hasUserScrolledUp) isAtEnd = false;
      else if (isAtEnd) scrollToEnd();
      lastTop = scrollTop;
      isPositioned.current ||= isAtEnd;
      if (isAtEnd) setLastSeenKey(null);
      // When the user leaves the end, the newest row is the last that they have seen.
      else setLastSeenKey((key) => key ?? newest.current ?? null);
    };

    let frame = 0;
    /** Ends the positioning once the list no longer moves, or at once when the user scrolls. */
    const waitForPosition = (previousGeometry: string, unchangedFramesBefore: number): void => {
      const geometry = `${element.scrollTop} ${element.scrollHeight}`;
      const unchangedFrames = geometry === previousGeometry ? unchangedFramesBefore + 1 : 0;
      if (unchangedFrames < framesUntilPositioned && !isRecent(lastUserActionAt.current)) {
        frame = requestAnimationFrame(() => waitForPosition(geometry, unchangedFrames));
        return;
      }
      isPositioning = false;
      isPositioned.current = true;
      lastTop = element.scrollTop;
      setLastSeenKey(lastSeenKeyAtOpening);
      handleScroll();
    };
    if (isPositioning) waitForPosition('', 0);

    const observer = new ResizeObserver(() => {
      resizedAt = performance.now();
      if (isAtEnd) scrollToEnd();
    });
    observer.observe(element);
    observer.observe(content);
    element.addEventListener('scroll', handleScroll, { passive: true });
    // A drag may continue for longer than `recentMs` after its `pointerdown`.
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
  }, [noteUserAction, scroller, lastSeenKeyAtOpening]);

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
