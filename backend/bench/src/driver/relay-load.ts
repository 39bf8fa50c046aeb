import { performance } from 'node:perf_hooks';
import { percentile } from '../measure/statistics';
import { sendAtRate, waitUntil } from './constant-rate';
import type { Pair, Partner } from './pairs';

const CONTENT_BYTES = 100;
/** Within this time the last messages and acks must arrive. */
const DRAIN_MS = 10_000;
/** A duplicate of the last message would arrive within this time. */
const DUPLICATE_WITHIN_MS = 50;

export interface RelayResult {
  sent: number;
  acked: number;
  received: number;
  refused: number;
  /** Messages refused because Redis answered too late, which their sender later received as stored. */
  storedAfterRefusal: number;
  /** Data of the first error frame, as JSON. */
  refusal?: string;
  /** Messages or acks that arrived out of order, or twice. */
  outOfOrder: number;
  p50Ms: number;
  p99Ms: number;
}

interface Side {
  partner: Partner;
  sent: number;
  /** Number of the last message of this side that was acknowledged. */
  lastAcked: number;
  /** Number of the last message that was received from the other side. */
  lastReceived: number;
}

/** Sends messages of 100 bytes in both directions of each pair, and verifies that each arrives once and in order. */
export class RelayLoad {
  private readonly sides: (readonly [Side, Side])[];
  private outOfOrder = 0;
  private refusal: string | undefined;
  private refused = 0;
  private storedAfterRefusal = 0;
  private received = 0;
  private acked = 0;
  private latencies: number[] = [];
  private intendedAt: number[] = [];

  constructor(private readonly pairs: readonly Pair[]) {
    this.sides = pairs.map(([first, second]) => [this.createSide(first), this.createSide(second)]);
  }

  async run(perSecond: number, seconds: number): Promise<RelayResult> {
    const count = Math.round(perSecond * seconds);
    [this.outOfOrder, this.refused, this.received, this.acked] = [0, 0, 0, 0];
    this.storedAfterRefusal = 0;
    [this.refusal, this.latencies, this.intendedAt] = [undefined, [], []];
    await sendAtRate(count, perSecond, (index, intendedAt) => this.send(index, intendedAt));
    await waitUntil(
      () => this.received >= count - this.refused && this.acked + this.refused >= count,
      DRAIN_MS,
    );
    await new Promise((resolve) => setTimeout(resolve, DUPLICATE_WITHIN_MS));
    return {
      sent: count,
      acked: this.acked,
      received: this.received,
      refused: this.refused,
      storedAfterRefusal: this.storedAfterRefusal,
      refusal: this.refusal,
      outOfOrder: this.outOfOrder,
      p50Ms: percentile(this.latencies, 0.5),
      p99Ms: percentile(this.latencies, 0.99),
    };
  }

  close(): void {
    for (const pair of this.pairs) for (const { wire } of pair) wire.close();
  }

  private send(index: number, intendedAt: number): void {
    const pair = this.sides[index % this.sides.length];
    const side = pair?.[Math.floor(index / this.sides.length) % 2];
    if (!side) return;
    this.intendedAt[index] = intendedAt;
    side.sent += 1;
    const { wire, sessionId } = side.partner;
    const content = `${side.sent} ${index} `.padEnd(CONTENT_BYTES, 'x');
    const clientId = `c-${side.sent}`;
    wire.send('random_message', { sessionId, content, messageType: 'text', clientId }, String(side.sent));
  }

  private createSide(partner: Partner): Side {
    const side: Side = { partner, sent: 0, lastAcked: 0, lastReceived: 0 };
    partner.wire.onFrame = ({ event, data, ref }) => {
      // Senders receive their own message only if it was refused because Redis answered too late, but was stored.
      if (event === 'random_message' && data.senderId === partner.userId) {
        this.storedAfterRefusal += 1;
      } else if (event === 'random_message') {
        const [number, index] = String(data.content).split(' ', 2);
        if (Number(number) <= side.lastReceived) this.outOfOrder += 1;
        side.lastReceived = Number(number);
        this.received += 1;
        this.latencies.push(performance.now() - (this.intendedAt[Number(index)] ?? NaN));
      } else if (event === 'ack') {
        if (Number(ref) <= side.lastAcked) this.outOfOrder += 1;
        side.lastAcked = Number(ref);
        this.acked += 1;
      } else if (event === 'error') {
        this.refusal ??= JSON.stringify(data);
        this.refused += 1;
      }
    };
    return side;
  }
}
