/** State of a carousel that advances by itself and wraps around. */
export interface CarouselState {
  index: number;
  /** Number of slides shown so far. A new turn restarts the timer. */
  turn: number;
  /**
   * `going`: advances by itself; `paused`: by the button; `played`: by the button, and keeps running while it has the
   * focus.
   */
  mode: 'going' | 'paused' | 'played';
  isPointedAt: boolean;
  hasFocus: boolean;
}

export type CarouselEvent =
  | { type: 'time-is-up'; count: number }
  | { type: 'chosen'; index: number }
  | { type: 'button-pressed' }
  | { type: 'pointed-at'; value: boolean }
  | { type: 'focused'; value: boolean };

export const initialCarousel: CarouselState = {
  index: 0,
  turn: 0,
  mode: 'going',
  isPointedAt: false,
  hasFocus: false,
};

export const isRunning = ({ mode, isPointedAt, hasFocus }: CarouselState): boolean =>
  mode !== 'paused' && !isPointedAt && (mode === 'played' || !hasFocus);

export const reduceCarousel = (state: CarouselState, event: CarouselEvent): CarouselState => {
  switch (event.type) {
    case 'time-is-up':
      return { ...state, index: (state.index + 1) % event.count, turn: state.turn + 1 };
    case 'chosen':
      return { ...state, index: event.index, turn: state.turn + 1 };
    case 'button-pressed':
      return { ...state, mode: state.mode === 'paused' ? 'played' : 'paused' };
    case 'pointed-at':
      return { ...state, isPointedAt: event.value };
    case 'focused':
      return {
        ...state,
        hasFocus: event.value,
        mode: state.mode === 'played' && !event.value ? 'going' : state.mode,
      };
  }
};
