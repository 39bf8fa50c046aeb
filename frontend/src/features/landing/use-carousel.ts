import { useEffect, useReducer, type FocusEvent, type PointerEvent } from 'react';
import { firstTurn, isRunning, nextCarousel } from '@/features/landing/carousel';

/** Shows one of `count` after another for `intervalMs` each, until somebody points at it, focuses it or pauses it. */
export const useCarousel = (count: number, intervalMs: number) => {
  const [state, tell] = useReducer(nextCarousel, firstTurn);
  const running = isRunning(state);

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
