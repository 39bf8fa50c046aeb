import { performance } from 'node:perf_hooks';

/** Polls until the condition holds. @returns false when it does not hold within `withinMs` */
export const waitUntil = async (condition: () => boolean, withinMs: number): Promise<boolean> => {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
};
