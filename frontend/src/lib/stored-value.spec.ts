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

it('reads the written value, and the default for invalid text', () => {
  expect(storedSide.read()).toBe('left');
  storedSide.write('right');
  expect(storedSide.read()).toBe('right');
  expect(localStorage.getItem('test-side')).toBe('right');
  localStorage.setItem('test-side', 'up');
  expect(storedSide.read()).toBe('left');
});

it('notifies every subscriber of changes in this tab and in others, until it unsubscribes', () => {
  const { result, unmount } = renderHook(() => storedSide.useValue());
  const listener = jest.fn();
  const unsubscribe = storedSide.subscribe(listener);
  act(() => storedSide.write('right'));
  expect(result.current).toBe('right');
  localStorage.setItem('test-side', 'left');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'test-side' })));
  expect(result.current).toBe('left');
  window.dispatchEvent(new StorageEvent('storage', { key: 'another' }));
  expect(listener).toHaveBeenCalledTimes(2);
  unmount();
  unsubscribe();
  storedSide.write('right');
  expect(listener).toHaveBeenCalledTimes(2);
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
