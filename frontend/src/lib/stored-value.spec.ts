import { act, renderHook } from '@testing-library/react';
import { createStoredSwitch, createStoredValue } from '@/lib/stored-value';

const sides = ['left', 'right'] as const;
type Side = (typeof sides)[number];
const side = createStoredValue<Side>('test-side', {
  parse: (text) => sides.find((side) => side === text) ?? 'left',
  format: String,
  prerendered: 'left',
});

beforeEach(() => localStorage.clear());
afterEach(() => jest.restoreAllMocks());

it('reads the written value, and the default for invalid text', () => {
  expect(side.read()).toBe('left');
  side.write('right');
  expect(side.read()).toBe('right');
  expect(localStorage.getItem('test-side')).toBe('right');
  localStorage.setItem('test-side', 'up');
  expect(side.read()).toBe('left');
});

it('notifies every subscriber of changes here and in other tabs, until it unsubscribes', () => {
  const { result, unmount } = renderHook(() => side.useValue());
  const listener = jest.fn();
  const unsubscribe = side.subscribe(listener);
  act(() => side.write('right'));
  expect(result.current).toBe('right');
  localStorage.setItem('test-side', 'left');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'test-side' })));
  expect(result.current).toBe('left');
  window.dispatchEvent(new StorageEvent('storage', { key: 'another' }));
  expect(listener).toHaveBeenCalledTimes(2);
  unmount();
  unsubscribe();
  side.write('right');
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

it('reads the default, and does not throw, when storage is blocked', () => {
  jest.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  side.write('right');
  expect(side.read()).toBe('left');
});
