import { performance } from 'node:perf_hooks';

/**
 * Open-loop load: calls `send` `count` times at a constant rate, whether or not responses arrive. `send` receives the
 * index of the call and the time (`performance.now()`) at which the call was due, which may be earlier than the call.
 * @throws the first error that `send` throws; no further call follows
 */
export const sendAtRate = (
  count: number,
  perSecond: number,
  send: (index: number, dueAt: number) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let index = 0;
    const tick = (): void => {
      try {
        // The first call is due at the start, so one more call is due than intervals have passed.
        const intervalCount = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
        const dueCount = Math.min(count, intervalCount + 1);
        for (; index < dueCount; index += 1) send(index, startedAt + (index / perSecond) * 1_000);
        if (index === count) resolve();
        else setTimeout(tick, 1);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    tick();
  });
