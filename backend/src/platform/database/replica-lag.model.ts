/** A position in PostgreSQL's write-ahead log. */
export type LogSequenceNumber = bigint;

/** Parses PostgreSQL's text form of a position, such as `16/B374D848`. */
export const parseLsn = (text: string): LogSequenceNumber => {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
};

/**
 * Number of positions of the primary that are kept, one per second. A minute is enough, because a replica that is more
 * than `MAX_REPLICA_LAG_MS` behind is not used.
 */
const MAX_SAMPLES = 60;

/** A position, and a moment before it was read, in milliseconds of a monotonic clock. */
interface Sample {
  time: number;
  position: LogSequenceNumber;
}

/**
 * Computes how far a replica is behind, without comparing the clocks of servers. When the replica reaches a position,
 * everything can be read from it that was committed before the moment at which the primary had that position.
 */
export class ReplicaLagModel {
  /** Positions of the primary that the replica has not reached. */
  private samples: Sample[] = [];
  /** The replica's position, with the time of the newest sample that it has reached. */
  private reached: Sample | undefined;

  /**
   * @param time a moment before the position was read, in milliseconds of a monotonic clock.
   * @param position of the primary.
   */
  recordPrimary(time: number, position: LogSequenceNumber): void {
    this.samples.push({ time, position });
    if (this.samples.length > MAX_SAMPLES) this.samples.shift();
  }

  /** @param position up to which the replica has applied the log. */
  recordReplica(position: LogSequenceNumber): void {
    const newestReached = this.samples.filter((sample) => sample.position <= position).at(-1);
    this.samples = this.samples.filter((sample) => sample.position > position);
    const time = newestReached?.time ?? this.reached?.time;
    if (time !== undefined) this.reached = { time, position };
  }

  /** Makes the replica's state unknown. Called after a failure, because another server may answer at its address. */
  reset(): void {
    this.reached = undefined;
  }

  /** Whether the replica has applied the log up to a position. */
  hasReached(position: LogSequenceNumber): boolean {
    return this.reached !== undefined && this.reached.position >= position;
  }

  /**
   * @param now in milliseconds of the clock of `recordPrimary`.
   * @returns milliseconds by which a read from the replica may be out of date; Infinity if its state is unknown.
   */
  computeLagMs(now: number): number {
    return this.reached === undefined ? Infinity : now - this.reached.time;
  }
}
