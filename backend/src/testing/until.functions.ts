const POLL_MS = 10;
const DEFAULT_WITHIN_MS = 20_000;

/**
 * Polls `read` until `isExpected` accepts its value, by default until it is truthy, for at most `withinMs`.
 * @returns the accepted value.
 * @throws Error with the last value after `withinMs`.
 */
export const until = async <Value>(
  read: () => Value | Promise<Value>,
  isExpected: (value: Awaited<Value>) => boolean = Boolean,
  withinMs = DEFAULT_WITHIN_MS,
): Promise<Awaited<Value>> => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (isExpected(value)) return value;
    if (Date.now() > deadline)
      throw new Error(
        `The condition did not become true in time; the last value was ${JSON.stringify(value)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};

/** Polls `read` until its value is truthy, for at most `withinMs`. @returns the value. @throws Error as `until` does */
export const untilWithin = <Value>(
  withinMs: number,
  read: () => Value | Promise<Value>,
): Promise<Awaited<Value>> => until(read, Boolean, withinMs);
