import { doubled, logError, lost, outOfOrder } from './metrics.ts';

/**
 * Checks the numbers of the events of one chat: every participant gets every event, once and in order, in a frame or in
 * the answer to a command.
 */
export class Sequence {
  /** Number of the last event before which none is missing. */
  private last: number;
  /** Events that came before an earlier one. */
  private readonly early = new Set<number>();

  /** @param start the number in `chat_matched` */
  constructor(start: number) {
    this.last = start;
  }

  /** Number of the last event that a resume does not have to send again. */
  get seen(): number {
    return this.last;
  }

  /** @param source where the event was received, for the log */
  record(seq: number, source: string): void {
    if (seq <= this.last || this.early.has(seq)) {
      doubled.add(1);
      logError(`Event ${seq} was received again, in ${source}, after ${this.last}`);
      return;
    }
    if (seq !== this.last + 1) {
      this.early.add(seq);
      return;
    }
    this.last = seq;
    while (this.early.delete(this.last + 1)) {
      this.last += 1;
      outOfOrder.add(1);
    }
  }

  /** Counts what is missing as lost. Call it after the last event of the chat. */
  finish(): void {
    const highest = Math.max(this.last, ...this.early);
    lost.add(highest - this.last - this.early.size);
  }
}
