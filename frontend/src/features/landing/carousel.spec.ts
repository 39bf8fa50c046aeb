import { initialCarousel, isRunning, reduceCarousel, type CarouselEvent } from '@/features/landing/carousel';

const applyEvents = (...events: CarouselEvent[]) => events.reduce(reduceCarousel, initialCarousel);
const timeIsUp: CarouselEvent = { type: 'time-is-up', count: 3 };
const pressButton: CarouselEvent = { type: 'button-pressed' };
const createFocusEvent = (value: boolean): CarouselEvent => ({ type: 'focused', value });
const createPointEvent = (value: boolean): CarouselEvent => ({ type: 'pointed-at', value });

it('wraps around after the last slide', () => {
  expect(applyEvents(timeIsUp).index).toBe(1);
  expect(applyEvents(timeIsUp, timeIsUp).index).toBe(2);
  expect(applyEvents(timeIsUp, timeIsUp, timeIsUp).index).toBe(0);
});

it('counts a new turn, which restarts the timer, when the slide that is already shown is chosen', () => {
  const chosen = applyEvents(timeIsUp, { type: 'chosen', index: 1 });
  expect(chosen).toMatchObject({ index: 1, turn: 2 });
});

it.each<[string, CarouselEvent[], 'runs' | 'stands still']>([
  ['untouched', [], 'runs'],
  ['pointed at', [createPointEvent(true)], 'stands still'],
  ['no longer pointed at', [createPointEvent(true), createPointEvent(false)], 'runs'],
  ['focused', [createFocusEvent(true)], 'stands still'],
  ['no longer focused', [createFocusEvent(true), createFocusEvent(false)], 'runs'],
  ['paused', [pressButton], 'stands still'],
  [
    'paused, then pointed at, left and unfocused',
    [pressButton, createPointEvent(true), createPointEvent(false), createFocusEvent(false)],
    'stands still',
  ],
  ['resumed while the focus is on the button', [createFocusEvent(true), pressButton, pressButton], 'runs'],
  ['resumed and then pointed at', [pressButton, pressButton, createPointEvent(true)], 'stands still'],
  [
    'resumed with the focus, which then leaves and returns',
    [createFocusEvent(true), pressButton, pressButton, createFocusEvent(false), createFocusEvent(true)],
    'stands still',
  ],
])('a carousel that is %s %s', (_description, events, expected) => {
  expect(isRunning(applyEvents(...events))).toBe(expected === 'runs');
});
