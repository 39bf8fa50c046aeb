import { act, render, screen } from '@testing-library/react';
import { drawCelebration } from '@/features/random-chat/icebreaker/celebration-effects';
import { Celebration } from '@/features/random-chat/icebreaker/components/celebration';

const stop = jest.fn();
jest.mock('@/features/random-chat/icebreaker/celebration-effects', () => ({
  drawCelebration: jest.fn(() => stop),
}));

const setReducedMotion = (matches: boolean): void => {
  jest.spyOn(window, 'matchMedia').mockImplementation((media) => ({ matches, media }) as MediaQueryList);
};

beforeEach(() => {
  jest.useFakeTimers();
  jest.clearAllMocks();
  setReducedMotion(false);
});
afterEach(() => jest.useRealTimers());

it.each([
  { isMatch: true, label: 'Ice cubes', effect: 'ice-cubes', durationMs: 5_000 },
  { isMatch: false, label: 'Sparks', effect: 'sparks', durationMs: 3_000 },
])(
  'shows the effect $effect for $durationMs ms when isMatch is $isMatch',
  ({ isMatch, label, effect, durationMs }) => {
    const onEnd = jest.fn();
    const { unmount } = render(<Celebration gameId="g1" isMatch={isMatch} onEnd={onEnd} />);
    expect(screen.getByRole('img', { name: label })).toBeInTheDocument();
    expect(drawCelebration).toHaveBeenCalledWith(expect.any(HTMLCanvasElement), effect);
    act(() => jest.advanceTimersByTime(durationMs - 1));
    expect(onEnd).not.toHaveBeenCalled();
    act(() => jest.advanceTimersByTime(1));
    expect(onEnd.mock.calls).toEqual([['g1']]);
    unmount();
    expect(stop).toHaveBeenCalledTimes(1);
  },
);

it.each([
  // The badge of a match has a second line, in Portuguese (docs/product-decisions.md, A80).
  { isMatch: true, words: ['The ice is broken!', 'O gelo foi quebrado!'], durationMs: 5_000 },
  { isMatch: false, words: ['Plot twist!'], durationMs: 3_000 },
])(
  'shows a still badge for $durationMs ms under reduced motion when isMatch is $isMatch',
  ({ isMatch, words, durationMs }) => {
    setReducedMotion(true);
    const onEnd = jest.fn();
    const { container } = render(<Celebration gameId="g1" isMatch={isMatch} onEnd={onEnd} />);
    // CSS shows the words of this attribute.
    const shownWords = [...container.querySelectorAll('[data-says]')].map((element) =>
      element.getAttribute('data-says'),
    );
    expect(shownWords).toEqual(words);
    expect(drawCelebration).not.toHaveBeenCalled();
    act(() => jest.advanceTimersByTime(durationMs));
    expect(onEnd.mock.calls).toEqual([['g1']]);
  },
);
