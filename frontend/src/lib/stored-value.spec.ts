import { act, renderHook } from '@testing-library/react';
import { createStoredSwitch, createStoredValue } from '@/lib/stored-value';

const sides = ['left', 'right'] as const;
type Side = (typeof sides)[number];
const storedSide = createStoredValue<Side>('test-side', {
  parse: (text) => sides.find((side) => side === text) ?? 'left',
  format: String,
  prerenderedValue: 'left',
});

beforeEach(() => localStorage.clear());
afterEach(() => jest.restoreAllMocks());

/** Stores a text as another tab does: this tab receives an event. */
const storeInOtherTab = (key: string, text: string): void => {
  localStorage.setItem(key, text);
  window.dispatchEvent(new StorageEvent('storage', { key }));
};

it('stores and reads the written value', () => {
  storedSide.write('right');
  expect(storedSide.read()).toBe('right');
  expect(localStorage.getItem('test-side')).toBe('right');
});

it('reads the default when nothing or an invalid text is stored', () => {
  expect(storedSide.read()).toBe('left');
  localStorage.setItem('test-side', 'up');
  expect(storedSide.read()).toBe('left');
});

it('useValue returns the newest value, whether it is written in this tab or in another one', () => {
  const { result } = renderHook(() => storedSide.useValue());
  act(() => storedSide.write('right'));
  expect(result.current).toBe('right');
  act(() => storeInOtherTab('test-side', 'left'));
  expect(result.current).toBe('left');
});

it('notifies every subscriber of changes in this tab and in others, but not of other keys', () => {
  const listeners = [jest.fn(), jest.fn()];
  const unsubscribers = listeners.map((listener) => storedSide.subscribe(listener));
  storedSide.write('right');
  storeInOtherTab('test-side', 'left');
  storeInOtherTab('another', 'left');
  for (const listener of listeners) expect(listener).toHaveBeenCalledTimes(2);
  for (const unsubscribe of unsubscribers) unsubscribe();
});

it('does not notify a subscriber that has unsubscribed', () => {
  const listener = jest.fn();
  const unsubscribe = storedSide.subscribe(listener);
  unsubscribe();
  storedSide.write('right');
  storeInOtherTab('test-side', 'left');
  expect(listener).not.toHaveBeenCalled();
});

it('a stored switch is false by default', () => {
  const { read, write } = createStoredSwitch('test-switch');
  expect(read()).toBe(false);
  write(true);
  expect(read()).toBe(true);
  write(false);
  expect(read()).toBe(false);
});

it('does not throw when the storage can be neither read nor written, and reads the default', () => {
  jest.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  storedSide.write('right');
  expect(storedSide.read()).toBe('left');
});
