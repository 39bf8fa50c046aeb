import { renderHook } from '@testing-library/react';
import { flushPromises } from '@/testing/flush-promises';
import { usePreloaded } from '@/ui/use-preloaded';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A part whose script arrives when the test calls `load`. */
const createPart = () => {
  let load = (): void => undefined;
  const preload = jest.fn(() => new Promise<void>((resolve) => (load = resolve)));
  return { preload, load: () => load() };
};

const renderWithTwoParts = () => {
  const [first, second] = [createPart(), createPart()];
  const parts = [first, second];
  const { unmount } = renderHook(() => usePreloaded(parts));
  jest.runAllTimers(); // the page is idle
  return { first, second, unmount };
};

it('usePreloaded loads one part after the other', async () => {
  const { first, second } = renderWithTwoParts();
  expect(first.preload).toHaveBeenCalledTimes(1);
  expect(second.preload).not.toHaveBeenCalled();
  first.load();
  await flushPromises();
  jest.runAllTimers();
  expect(second.preload).toHaveBeenCalledTimes(1);
});

it('usePreloaded loads no further part after the component is unmounted', async () => {
  const { first, second, unmount } = renderWithTwoParts();
  unmount();
  first.load();
  await flushPromises();
  jest.runAllTimers();
  expect(second.preload).not.toHaveBeenCalled();
});
