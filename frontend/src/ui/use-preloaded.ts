import { useEffect } from 'react';
import { type Part } from '@/ui/loaded-part';

/** Delay in browsers without `requestIdleCallback`, such as Safari. */
const fallbackDelayMs = 1_000;

/**
 * Runs a function when the page is idle, or after a fixed delay if the browser does not report idle time.
 * @returns a function that cancels the call
 */
export const runWhenIdle = (run: () => void): (() => void) => {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(run);
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(run, fallbackDelayMs);
  return () => clearTimeout(timer);
};

/**
 * Preloads parts (lazily loaded components) one by one while the page is idle. `parts` must be the same array on every
 * render: a new array restarts the preloading.
 */
export const usePreloaded = (parts: readonly Pick<Part<never>, 'preload'>[]): void => {
  useEffect(() => {
    let isStopped = false;
    let cancel = (): void => undefined;
    const preloadNext = ([part, ...remaining]: readonly Pick<Part<never>, 'preload'>[]): void => {
      if (!part || isStopped) return;
      // `preload` never rejects, so a part that fails to load does not stop the rest.
      cancel = runWhenIdle(() => void part.preload().then(() => preloadNext(remaining)));
    };
    preloadNext(parts);
    return () => {
      isStopped = true;
      cancel();
    };
  }, [parts]);
};
