/** Source of time and timers, injected so that tests can control it. */
export interface Clock {
  /** In ms since the epoch. */
  now: () => number;
  setTimeout: (run: () => void, delayMs: number) => number;
  clearTimeout: (timer: number | undefined) => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, delayMs) => window.setTimeout(run, delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
};
