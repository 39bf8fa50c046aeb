/** Calls `task` with 0 to `count - 1`; at most `concurrency` calls run at a time. */
export const runInParallel = async (
  count: number,
  concurrency: number,
  task: (index: number) => Promise<void>,
): Promise<void> => {
  let nextIndex = 0;
  const runTasks = async (): Promise<void> => {
    while (nextIndex < count) {
      const index = nextIndex;
      nextIndex += 1;
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runTasks));
};
