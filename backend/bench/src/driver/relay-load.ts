import { performance } from 'node:perf_hooks';
import { percentile } from '../measure/statistics';
import { sendAtRate } from './constant-rate';
import type { Pair, Partner } from './pairs';
import { waitUntil } from './wait-until';

export const CONTENT_BYTES = 100;
/** Time in which the last messages and acks must arrive. */
const DRAIN_MS = 10_000;
/** Time in which a duplicate of the last message would arrive. */
const DUPLICATE_WAIT_MS = 50;

export interface RelayResult {
  sent: number;
  acked: number;
  received: number;
  refused: number;
  /** Messages that were refused because the response of Redis was late, and that were stored all the same. */
  storedAfterRefusal: number;
  /** Data of the first error frame, as JSON. */
  refusal?: string;
  /** Messages or acks that arrived out of order, or twice. */
  outOfOrder: number;
  /** Latencies from the time at which a message was due until the partner received it. */
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
  private readonly sidePairs: (readonly [Side, Side])[];
  private outOfOrder = 0;
  private refusal: string | undefined;
  private refused = 0;
  private storedAfterRefusal = 0;
  private received = 0;
  private acked = 0;
  private latenciesMs: number[] = [];
  /** When each message of the run was due (`performance.now()`), by its index. */
  private dueTimes: number[] = [];

  constructor(private readonly pairs: readonly Pair[]) {
    this.sidePairs = pairs.map(([first, second]) => [this.createSide(first), this.createSide(second)]);
  }

  async run(perSecond: number, seconds: number): Promise<RelayResult> {
    const count = Math.round(perSecond * seconds);
    [this.outOfOrder, this.refused, this.received, this.acked] = [0, 0, 0, 0];
    this.storedAfterRefusal = 0;
    [this.refusal, this.latenciesMs, this.dueTimes] = [undefined, [], []];
    await sendAtRate(count, perSecond, (index, dueAt) => this.send(index, dueAt));
    await waitUntil(
      () => this.received >= count - this.refused && this.acked + this.refused >= count,
      DRAIN_MS,
    );
    await new Promise((resolve) => setTimeout(resolve, DUPLICATE_WAIT_MS));
    return {
      sent: count,
      acked: this.acked,
      received: this.received,
      refused: this.refused,
      storedAfterRefusal: this.storedAfterRefusal,
      refusal: this.refusal,
      outOfOrder: this.outOfOrder,
      p50Ms: percentile(this.latenciesMs, 0.5),
      p99Ms: percentile(this.latenciesMs, 0.99),
    };
  }

  close(): void {
    for (const pair of this.pairs) for (const { wire } of pair) wire.close();
  }

  private send(index: number, dueAt: number): void {
    // The first users of all pairs send in turn, then the second users.
    const sidePair = this.sidePairs[index % this.sidePairs.length];
    const side = sidePair?.[Math.floor(index / this.sidePairs.length) % 2];
    if (!side) return;
    this.dueTimes[index] = dueAt;
    side.sent += 1;
    const { wire, sessionId } = side.partner;
    // The receiver reads both numbers from the content.
    const content = `${side.sent} ${index} `.padEnd(CONTENT_BYTES, 'x');
    const clientId = `c-${side.sent}`;
    wire.send('random_message', { sessionId, content, messageType: 'text', clientId }, String(side.sent));
  }

  private createSide(partner: Partner): Side {
    const side: Side = { partner, sent: 0, lastAcked: 0, lastReceived: 0 };
    partner.wire.onFrame = ({ event, data, ref }) => {
      // Senders receive their own message only if it was stored after its refusal.
      if (event === 'random_message' && data.senderId === partner.userId) {
        this.storedAfterRefusal += 1;
      } else if (event === 'random_message') {
        const [number, index] = String(data.content).split(' ', 2);
        if (Number(number) <= side.lastReceived) this.outOfOrder += 1;
        side.lastReceived = Number(number);
        this.received += 1;
        this.latenciesMs.push(performance.now() - (this.dueTimes[Number(index)] ?? NaN));
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
