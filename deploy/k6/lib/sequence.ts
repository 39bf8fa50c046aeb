import { duplicates, logError, lost, outOfOrder } from './metrics.ts';

/**
 * Checks the `seq` of the events of one chat that a participant receives, in frames or in acks of their commands: each
 * event must arrive once and in order.
 */
export class Sequence {
  /** All events up to this `seq` have arrived; after a reconnect, the server sends the events after it. */
  last: number;
  /** The `seq` of each event that arrived although an earlier one is missing. */
  private readonly early = new Set<number>();

  /** @param start the `seq` in `chat_matched` */
  constructor(start: number) {
    this.last = start;
  }

  /** @param source where the event was received, for the log */
  record(seq: number, source: string): void {
    if (seq <= this.last || this.early.has(seq)) {
      duplicates.add(1);
      logError(`Event ${seq} was received again, in ${source}, after ${this.last}`);
      return;
    }
    if ([...this.early].some((earlySeq) => earlySeq > seq)) outOfOrder.add(1);
    this.early.add(seq);
    while (this.early.delete(this.last + 1)) this.last += 1;
  }

  /** Counts the missing events as lost. To be called after the last event of the chat. */
  finish(): void {
    const highest = Math.max(this.last, ...this.early);
    const seqsAfterLast = highest - this.last;
    lost.add(seqsAfterLast - this.early.size);
  }
}
