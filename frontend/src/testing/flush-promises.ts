/** More than the length of any chain of promises that a test waits for. */
const turnCount = 20;

/** Runs the continuations of settled promises. */
export const flushPromises = async (): Promise<void> => {
  for (let turn = 0; turn < turnCount; turn += 1) await Promise.resolve();
};
