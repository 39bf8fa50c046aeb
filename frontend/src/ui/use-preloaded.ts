import { useEffect } from 'react';
import { type Part } from '@/ui/loaded-part';

// Safari has no idle callbacks.
const whenIdle = (run: () => void): (() => void) => {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(run);
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(run, 1_000);
  return () => clearTimeout(timer);
};

/** Preloads parts one after another while the page is idle. `parts` must be the same array on every render. */
export const usePreloaded = (parts: readonly Pick<Part<never>, 'preload'>[]): void => {
  useEffect(() => {
    let cancel = (): void => undefined;
    const next = ([part, ...others]: readonly Pick<Part<never>, 'preload'>[]): void => {
      if (!part) return;
      cancel = whenIdle(() => void part.preload().then(() => next(others)));
    };
    next(parts);
    return () => cancel();
  }, [parts]);
};
