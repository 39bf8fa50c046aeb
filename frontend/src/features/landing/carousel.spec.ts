import { initialCarousel, isRunning, reduceCarousel, type CarouselEvent } from '@/features/landing/carousel';

const after = (...events: CarouselEvent[]) => events.reduce(reduceCarousel, initialCarousel);
const tick: CarouselEvent = { type: 'time-is-up', count: 3 };
const press: CarouselEvent = { type: 'button-pressed' };
const focus = (value: boolean): CarouselEvent => ({ type: 'focused', value });
const point = (value: boolean): CarouselEvent => ({ type: 'pointed-at', value });

it('wraps around after the last slide', () => {
  expect(after(tick).index).toBe(1);
  expect(after(tick, tick).index).toBe(2);
  expect(after(tick, tick, tick).index).toBe(0);
});

it('begins a new turn with every choice, also of the present slide', () => {
  const chosen = after(tick, { type: 'chosen', index: 1 });
  expect(chosen).toMatchObject({ index: 1, turn: 2 });
});

it.each<[string, CarouselEvent[], boolean]>([
  ['by itself', [], true],
  ['pointed at', [point(true)], false],
  ['no longer pointed at', [point(true), point(false)], true],
  ['focused', [focus(true)], false],
  ['no longer focused', [focus(true), focus(false)], true],
  ['paused', [press], false],
  [
    'paused, and whatever is then pointed at or left',
    [press, point(true), point(false), focus(false)],
    false,
  ],
  ['resumed while the focus is on the button', [focus(true), press, press], true],
  ['played again, while pointed at', [press, press, point(true)], false],
  ['played, left, and focused anew', [focus(true), press, press, focus(false), focus(true)], false],
])('a carousel %s runs or stops as expected (%#)', (_what, events, running) => {
  expect(isRunning(after(...events))).toBe(running);
});
