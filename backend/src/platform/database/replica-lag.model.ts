/** A position in PostgreSQL's write-ahead log. */
export type LogSequenceNumber = bigint;

/** Parses PostgreSQL's text form of a position, such as `16/B374D848`. */
export const parseLsn = (text: string): LogSequenceNumber => {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
};

/**
 * One position is recorded each second. A minute of them is enough, because a replica that is more than
 * `MAX_REPLICA_LAG_MS` behind is not used.
 */
const MAX_PRIMARY_POSITIONS = 60;

interface PrimaryPosition {
  position: LogSequenceNumber;
  /** A moment before the position was read, in milliseconds of a monotonic clock. */
  timeMs: number;
}

interface ReplicaState {
  position: LogSequenceNumber;
  /** The replica has everything that was committed before this moment. */
  upToDateAtMs: number;
}

/**
 * Computes how far a replica is behind the primary, without comparing the clocks of servers: a replica that reaches a
 * position of the primary has everything that was committed before that position was read.
 */
export class ReplicaLagModel {
  /** The positions that the replica has not reached, oldest first. */
  private primaryPositions: PrimaryPosition[] = [];
  /** undefined if the state is unknown. */
  private replica: ReplicaState | undefined;

  /**
   * @param timeMs a moment before the position was read, in milliseconds of a monotonic clock.
   * @param position of the primary.
   */
  recordPrimary(timeMs: number, position: LogSequenceNumber): void {
    this.primaryPositions.push({ position, timeMs });
    if (this.primaryPositions.length > MAX_PRIMARY_POSITIONS) this.primaryPositions.shift();
  }

  /** @param position up to which the replica has applied the log. */
  recordReplica(position: LogSequenceNumber): void {
    const newestReached = this.primaryPositions.findLast((recorded) => recorded.position <= position);
    this.primaryPositions = this.primaryPositions.filter((recorded) => recorded.position > position);
    // If the replica has reached no further position of the primary, it is up to date at the same moment as before.
    const upToDateAtMs = newestReached?.timeMs ?? this.replica?.upToDateAtMs;
    if (upToDateAtMs !== undefined) this.replica = { position, upToDateAtMs };
  }

  /** Makes the replica's state unknown. Called after a failure, because another server may answer at its address. */
  reset(): void {
    this.replica = undefined;
  }

  /** Whether the replica has applied the log up to a position. */
  hasReached(position: LogSequenceNumber): boolean {
    return this.replica !== undefined && this.replica.position >= position;
  }

  /**
   * @param now in milliseconds of the clock of `recordPrimary`.
   * @returns milliseconds by which a read from the replica may be out of date; Infinity if its state is unknown.
   */
  computeLagMs(now: number): number {
    return this.replica === undefined ? Infinity : now - this.replica.upToDateAtMs;
  }
}
