import { useSyncExternalStore } from 'react';

const minuteMs = 60_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

const tick = (): void => {
  now = Date.now();
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) {
    // `now` is outdated: no timer has run since the last listener unsubscribed.
    now = Date.now();
    timer = window.setInterval(tick, minuteMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
};

/** The current time in ms since the epoch, updated every minute. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
