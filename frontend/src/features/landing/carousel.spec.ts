import { initialCarousel, isRunning, reduceCarousel, type CarouselEvent } from '@/features/landing/carousel';

const applyEvents = (...events: CarouselEvent[]) => events.reduce(reduceCarousel, initialCarousel);
const tick: CarouselEvent = { type: 'time-is-up', count: 3 };
const press: CarouselEvent = { type: 'button-pressed' };
const createFocusEvent = (value: boolean): CarouselEvent => ({ type: 'focused', value });
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

it.each<[string, CarouselEvent[], 'runs' | 'stands still']>([
  ['untouched', [], 'runs'],
  ['pointed at', [createPointEvent(true)], 'stands still'],
  ['no longer pointed at', [createPointEvent(true), createPointEvent(false)], 'runs'],
  ['focused', [createFocusEvent(true)], 'stands still'],
  ['no longer focused', [createFocusEvent(true), createFocusEvent(false)], 'runs'],
  ['paused', [press], 'stands still'],
  [
    'paused, then pointed at, left and unfocused',
    [press, createPointEvent(true), createPointEvent(false), createFocusEvent(false)],
    'stands still',
  ],
  ['resumed while the focus is on the button', [createFocusEvent(true), press, press], 'runs'],
  ['resumed while pointed at', [press, press, createPointEvent(true)], 'stands still'],
  [
    'resumed with the focus, which then leaves and returns',
    [createFocusEvent(true), press, press, createFocusEvent(false), createFocusEvent(true)],
    'stands still',
  ],
])('a carousel that is %s %s', (_what, events, expected) => {
  expect(isRunning(applyEvents(...events))).toBe(expected === 'runs');
});
