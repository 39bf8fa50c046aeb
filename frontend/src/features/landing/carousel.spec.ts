import { initialCarousel, isRunning, reduceCarousel, type CarouselEvent } from '@/features/landing/carousel';

const applyEvents = (...events: CarouselEvent[]) => events.reduce(reduceCarousel, initialCarousel);
const tick: CarouselEvent = { type: 'time-is-up', count: 3 };
const press: CarouselEvent = { type: 'button-pressed' };
const focus = (value: boolean): CarouselEvent => ({ type: 'focused', value });
const createPointEvent = (value: boolean): CarouselEvent => ({ type: 'pointed-at', value });

it('wraps around after the last slide', () => {
  expect(applyEvents(tick).index).toBe(1);
  expect(applyEvents(tick, tick).index).toBe(2);
  expect(applyEvents(tick, tick, tick).index).toBe(0);
});

it('begins a new turn with every choice, also of the present slide', () => {
  const chosen = applyEvents(tick, { type: 'chosen', index: 1 });
  expect(chosen).toMatchObject({ index: 1, turn: 2 });
});

it.each<[string, CarouselEvent[], boolean]>([
  ['by itself', [], true],
  ['pointed at', [createPointEvent(true)], false],
  ['no longer pointed at', [createPointEvent(true), createPointEvent(false)], true],
  ['focused', [focus(true)], false],
  ['no longer focused', [focus(true), focus(false)], true],
  ['paused', [press], false],
  [
    'paused, and whatever is then pointed at or left',
    [press, createPointEvent(true), createPointEvent(false), focus(false)],
    false,
  ],
  ['resumed while the focus is on the button', [focus(true), press, press], true],
  ['played again, while pointed at', [press, press, createPointEvent(true)], false],
  ['played, left, and focused anew', [focus(true), press, press, focus(false), focus(true)], false],
])('a carousel %s runs or stops as expected (%#)', (_what, events, running) => {
  expect(isRunning(applyEvents(...events))).toBe(running);
});
