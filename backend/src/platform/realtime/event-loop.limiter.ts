/**
 * Lets one caller run per iteration of the event loop, in the order of asking, so that long work in small slices delays
 * everything else by one slice, however many do such work at once.
 */
export class EventLoopLimiter {
  private last: Promise<void> = Promise.resolve();

  /** Resolves in an iteration of the event loop that no other caller has got. */
  nextIteration(): Promise<void> {
    this.last = this.last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.last;
  }
}
