import { useEffect, useReducer, useRef, type FocusEvent, type PointerEvent, type TouchEvent } from 'react';
import { firstTurn, isRunning, nextCarousel } from '@/features/landing/carousel';
import { sideways, type Point } from '@/lib/swipe';

const leastSwipePx = 40;

/** Shows one of `count` after another for `intervalMs` each, until somebody points at it, focuses it or pauses it. */
export const useCarousel = (count: number, intervalMs: number) => {
  const [state, tell] = useReducer(nextCarousel, firstTurn);
  const running = isRunning(state);
  const touchedAt = useRef<Point | null>(null);

  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(() => tell({ type: 'time-is-up', count }), intervalMs);
    return () => clearTimeout(timer);
  }, [running, state.turn, count, intervalMs]);

  return {
    index: state.index,
    turn: state.turn,
    isRunning: running,
    isPaused: state.mode === 'paused',
    choose: (index: number) => tell({ type: 'chosen', index }),
    togglePause: () => tell({ type: 'button-pressed' }),
    /** For the element that holds the slides: a swipe to the left leads to the next one. */
    swipe: {
      onTouchStart: ({ touches }: TouchEvent) => {
        const touch = touches.length === 1 ? touches[0] : undefined;
        touchedAt.current = touch ? { x: touch.clientX, y: touch.clientY } : null;
      },
      onTouchEnd: ({ changedTouches }: TouchEvent) => {
        const touch = changedTouches[0];
        const from = touchedAt.current;
        touchedAt.current = null;
        if (!from || !touch) return;
        const distance = sideways(from, { x: touch.clientX, y: touch.clientY }, leastSwipePx);
        if (distance === 0) return;
        tell({ type: 'chosen', index: (state.index + (distance < 0 ? 1 : count - 1)) % count });
      },
    },
    /** For the element that holds the carousel and its controls. */
    hold: {
      // A finger that has left leaves no pointer behind.
      onPointerEnter: (event: PointerEvent) => {
        if (event.pointerType !== 'touch') tell({ type: 'pointed-at', value: true });
      },
      onPointerLeave: () => tell({ type: 'pointed-at', value: false }),
      // The focus that a click leaves behind is no sign that anybody reads.
      onFocus: (event: FocusEvent) => {
        if (event.target.matches(':focus-visible')) tell({ type: 'focused', value: true });
      },
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) tell({ type: 'focused', value: false });
      },
    },
  };
};
