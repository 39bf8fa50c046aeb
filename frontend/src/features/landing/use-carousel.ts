import { useEffect, useReducer, useRef, type FocusEvent, type PointerEvent, type TouchEvent } from 'react';
import { initialCarousel, isRunning, reduceCarousel } from '@/features/landing/carousel';
import { measureHorizontalSwipe, type Point } from '@/lib/swipe';

const minSwipePx = 40;

/** Shows `count` slides in turn for `intervalMs` each; stops while pointed at, focused or paused with the button. */
export const useCarousel = (count: number, intervalMs: number) => {
  const [state, dispatch] = useReducer(reduceCarousel, initialCarousel);
  const running = isRunning(state);
  const touchStart = useRef<Point | null>(null);

  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(() => dispatch({ type: 'time-is-up', count }), intervalMs);
    return () => clearTimeout(timer);
    // A new turn restarts the timer, even if the same slide was chosen again.
  }, [running, state.turn, count, intervalMs]);

  return {
    index: state.index,
    /** Increases when the carousel advances and when the user chooses a slide. */
    turn: state.turn,
    /** Whether the slides advance now. */
    isRunning: running,
    /** Whether the user has paused the carousel with the button. */
    isPausedByUser: state.mode === 'paused',
    choose: (index: number) => dispatch({ type: 'chosen', index }),
    togglePause: () => dispatch({ type: 'button-pressed' }),
    /** Handlers for the element that holds the slides; a swipe to the left shows the next one. */
    swipeHandlers: {
      onTouchStart: ({ touches }: TouchEvent) => {
        const touch = touches.length === 1 ? touches[0] : undefined;
        touchStart.current = touch ? { x: touch.clientX, y: touch.clientY } : null;
      },
      onTouchEnd: ({ changedTouches }: TouchEvent) => {
        const touch = changedTouches[0];
        const start = touchStart.current;
        touchStart.current = null;
        if (!start || !touch) return;
        // 0 if the movement is too short or not clearly horizontal; negative to the left.
        const movedPx = measureHorizontalSwipe(start, { x: touch.clientX, y: touch.clientY }, minSwipePx);
        if (movedPx === 0) return;
        // `count - 1` steps forwards are one step back.
        dispatch({ type: 'chosen', index: (state.index + (movedPx < 0 ? 1 : count - 1)) % count });
      },
    },
    /** Handlers for the element that holds the carousel and its controls. */
    pauseHandlers: {
      // Touch is ignored: otherwise a finger that was lifted would still count as pointing.
      onPointerEnter: (event: PointerEvent) => {
        if (event.pointerType !== 'touch') dispatch({ type: 'pointed-at', value: true });
      },
      onPointerLeave: () => dispatch({ type: 'pointed-at', value: false }),
      // Focus after a click is ignored: it does not mean that the user is reading.
      onFocus: (event: FocusEvent) => {
        if (event.target.matches(':focus-visible')) dispatch({ type: 'focused', value: true });
      },
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) dispatch({ type: 'focused', value: false });
      },
    },
  };
};
