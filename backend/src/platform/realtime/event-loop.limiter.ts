/**
 * Lets one caller run per iteration of the event loop, in FIFO order. Long work in small slices then delays everything
 * else by one slice only, regardless of the number of callers.
 */
export class EventLoopLimiter {
  private last: Promise<void> = Promise.resolve();

  /** Resolves in an iteration of the event loop that is assigned to no other caller. */
  waitForIteration(): Promise<void> {
    this.last = this.last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.last;
  }
}
