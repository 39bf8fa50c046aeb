import { useEffect, useReducer, useRef, type FocusEvent, type PointerEvent, type TouchEvent } from 'react';
import { initialCarousel, isRunning, reduceCarousel } from '@/features/landing/carousel';
import { measureHorizontalSwipe, type Point } from '@/lib/swipe';

const minSwipePx = 40;

/**
 * Shows `count` slides in turn, each for `intervalMs`. Stops while the user points at the carousel or focuses it, and
 * after they have pressed the pause button.
 */
export const useCarousel = (count: number, intervalMs: number) => {
  const [state, dispatch] = useReducer(reduceCarousel, initialCarousel);
  const isAdvancing = isRunning(state);

  useEffect(() => {
    if (!isAdvancing) return;
    const timer = setTimeout(() => dispatch({ type: 'time-is-up', count }), intervalMs);
    return () => clearTimeout(timer);
    // A new turn restarts the timer, even if the same slide was chosen again.
  }, [isAdvancing, state.turn, count, intervalMs]);

  const choose = (index: number) => dispatch({ type: 'chosen', index });

  const touchStart = useRef<Point | null>(null);
  const swipeHandlers = {
    onTouchStart: ({ touches }: TouchEvent) => {
      // Only a touch with one finger is a swipe.
      const touch = touches.length === 1 ? touches[0] : undefined;
      touchStart.current = touch ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches[0];
      const start = touchStart.current;
      touchStart.current = null;
      if (!start || !touch) return;
      // Negative to the left; 0 if the movement is too short or not clearly horizontal.
      const movedPx = measureHorizontalSwipe(start, { x: touch.clientX, y: touch.clientY }, minSwipePx);
      if (movedPx === 0) return;
      const step = movedPx < 0 ? 1 : -1;
      choose((state.index + step + count) % count);
    },
  };

  const pauseHandlers = {
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
  };

  return {
    index: state.index,
    /** Increases when the carousel advances and when the user chooses a slide. */
    turn: state.turn,
    /** Whether the slides advance now. */
    isRunning: isAdvancing,
    /** Whether the user has paused the carousel with the button. */
    isPausedByUser: state.mode === 'paused',
    choose,
    togglePause: () => dispatch({ type: 'button-pressed' }),
    /** Handlers for the element that holds the slides; a swipe to the left shows the next one. */
    swipeHandlers,
    /** Handlers for the element that holds the carousel and its controls. */
    pauseHandlers,
  };
};
