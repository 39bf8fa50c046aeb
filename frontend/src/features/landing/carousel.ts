/** State of a carousel that advances by itself and wraps around. */
export interface CarouselState {
  index: number;
  /** Increases when the carousel advances and when the user chooses a slide. Each new value restarts the timer. */
  turn: number;
  /**
   * `automatic`: advances unless pointed at or focused.
   * `paused`: the user has paused the carousel with the button.
   * `resumed`: the user has resumed it with the button, so it advances although the button has the focus. When the
   * focus leaves the carousel, the mode is `automatic` again.
   */
  mode: 'automatic' | 'paused' | 'resumed';
  isPointedAt: boolean;
  hasFocus: boolean;
}

export type CarouselEvent =
  /** The slide was shown for its full time; `count` is the number of slides. */
  | { type: 'time-is-up'; count: number }
  | { type: 'chosen'; index: number }
  | { type: 'button-pressed' }
  | { type: 'pointed-at'; value: boolean }
  | { type: 'focused'; value: boolean };

export const initialCarousel: CarouselState = {
  index: 0,
  turn: 0,
  mode: 'automatic',
  isPointedAt: false,
  hasFocus: false,
};

export const isRunning = ({ mode, isPointedAt, hasFocus }: CarouselState): boolean =>
  mode !== 'paused' && !isPointedAt && (mode === 'resumed' || !hasFocus);

export const reduceCarousel = (state: CarouselState, event: CarouselEvent): CarouselState => {
  switch (event.type) {
    case 'time-is-up':
      return { ...state, index: (state.index + 1) % event.count, turn: state.turn + 1 };
    case 'chosen':
      return { ...state, index: event.index, turn: state.turn + 1 };
    case 'button-pressed':
      return { ...state, mode: state.mode === 'paused' ? 'resumed' : 'paused' };
    case 'pointed-at':
      return { ...state, isPointedAt: event.value };
    case 'focused':
      return {
        ...state,
        hasFocus: event.value,
        mode: state.mode === 'resumed' && !event.value ? 'automatic' : state.mode,
      };
  }
};
