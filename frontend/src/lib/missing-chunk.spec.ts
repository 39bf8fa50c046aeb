import { reloadOnMissingChunk } from '@/lib/missing-chunk';

it('loads the page anew, but not in circles', () => {
  const reload = jest.fn();
  reloadOnMissingChunk(reload);
  const fail = (): boolean => window.dispatchEvent(new Event('vite:preloadError', { cancelable: true }));
  expect(fail()).toBe(false);
  expect(reload).toHaveBeenCalledTimes(1);
  expect(fail()).toBe(true);
  expect(reload).toHaveBeenCalledTimes(1);
});
