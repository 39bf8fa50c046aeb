/** A carousel that goes on by itself and round and round: what it shows, and what keeps it still. */
export interface CarouselState {
  index: number;
  /** Counts what was shown; a new turn has all its time before it. */
  turn: number;
  /** `going` by itself, `paused` by the button, or `played` by it, which then counts more than where the focus is. */
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

export const firstTurn: CarouselState = {
  index: 0,
  turn: 0,
  mode: 'going',
  isPointedAt: false,
  hasFocus: false,
};

export const isRunning = ({ mode, isPointedAt, hasFocus }: CarouselState): boolean =>
  mode !== 'paused' && !isPointedAt && (mode === 'played' || !hasFocus);

export const nextCarousel = (state: CarouselState, event: CarouselEvent): CarouselState => {
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
