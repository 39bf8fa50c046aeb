const POLL_MS = 10;

/** Asks again and again until something is so. @returns what it is. */
export const until = async <Value>(
  ask: () => Value | Promise<Value>,
  isMeant: (value: Awaited<Value>) => boolean = Boolean,
  withinMs = 20_000,
): Promise<Awaited<Value>> => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (isMeant(value)) return value;
    if (Date.now() > deadline) throw new Error(`Never so; at last it was ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};
