/** Time as the rest of the application may see it, so that tests own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now: () => number;
  setTimeout: (run: () => void, delayMs: number) => number;
  clearTimeout: (timer: number | undefined) => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, delayMs) => window.setTimeout(run, delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
};
