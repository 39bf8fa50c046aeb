/**
 * Lets one caller run per iteration of the event loop, in FIFO order. Callers split long work into slices, so other
 * work waits for one slice at most, regardless of the number of callers.
 */
export class EventLoopLimiter {
  private last: Promise<void> = Promise.resolve();

  /** Resolves in an iteration of the event loop that is assigned to no other caller. */
  waitForIteration(): Promise<void> {
    this.last = this.last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.last;
  }
}
