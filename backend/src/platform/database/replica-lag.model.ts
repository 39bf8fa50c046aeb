/** A position in PostgreSQL's write-ahead log. */
export type LogSequenceNumber = bigint;

/** Parses PostgreSQL's text form of a position, such as `16/B374D848`. */
export const parseLsn = (text: string): LogSequenceNumber => {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
};

/** Positions kept, of one check each. A replica that is further behind is not used anyway. */
const MAX_SAMPLES = 60;

/**
 * How far a replica is behind, without comparing clocks: at some moment the primary was at a position that the replica
 * has reached since. Everything that was committed until that moment can be read from the replica.
 */
export class ReplicaLagModel {
  private samples: { at: number; position: LogSequenceNumber }[] = [];
  private reached: { at: number; position: LogSequenceNumber } | undefined;

  /**
   * @param at a moment before the position was read, in milliseconds of a monotonic clock.
   * @param position of the primary.
   */
  recordPrimary(at: number, position: LogSequenceNumber): void {
    this.samples.push({ at, position });
    if (this.samples.length > MAX_SAMPLES) this.samples.shift();
  }

  /** @param position up to which the replica has applied the log. */
  recordReplica(position: LogSequenceNumber): void {
    const sample = this.samples.filter((each) => each.position <= position).at(-1);
    this.samples = this.samples.filter((each) => each.position > position);
    const at = sample?.at ?? this.reached?.at;
    if (at !== undefined) this.reached = { at, position };
  }

  /** Until the replica answers again. Another server may answer then, so nothing is known of it. */
  reset(): void {
    this.reached = undefined;
  }

  /** Whether the replica has applied the log up to a position. */
  hasReached(position: LogSequenceNumber): boolean {
    return this.reached !== undefined && this.reached.position >= position;
  }

  /** Milliseconds by which a read from the replica may be out of date; Infinity if nothing is known of it. */
  computeLag(now: number): number {
    return this.reached === undefined ? Infinity : now - this.reached.at;
  }
}
