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
  [true, 'Ice cubes', 'ice-cubes', 5_000],
  [false, 'Sparks', 'sparks', 3_000],
])('shows the celebration for isMatch %s: %s', (isMatch, name, effect, durationMs) => {
  const over = jest.fn();
  const { unmount } = render(<Celebration gameId="g1" isMatch={isMatch} onEnd={over} />);
  expect(screen.getByRole('img', { name })).toBeInTheDocument();
  expect(drawCelebration).toHaveBeenCalledWith(expect.any(HTMLCanvasElement), effect);
  act(() => jest.advanceTimersByTime(durationMs - 1));
  expect(over).not.toHaveBeenCalled();
  act(() => jest.advanceTimersByTime(1));
  expect(over.mock.calls).toEqual([['g1']]);
  unmount();
  expect(stop).toHaveBeenCalledTimes(1);
});

it.each([
  [true, ['The ice is broken!', 'O gelo foi quebrado!'], 5_000],
  [false, ['Plot twist!'], 3_000],
])('shows a still badge for as long with reduced motion (%s)', (isMatch, words, durationMs) => {
  setReducedMotion(true);
  const over = jest.fn();
  const { container } = render(<Celebration gameId="g1" isMatch={isMatch} onEnd={over} />);
  const said = [...container.querySelectorAll('[data-says]')].map((one) => one.getAttribute('data-says'));
  expect(said).toEqual(words);
  expect(drawCelebration).not.toHaveBeenCalled();
  act(() => jest.advanceTimersByTime(durationMs));
  expect(over.mock.calls).toEqual([['g1']]);
});
