import { performance } from 'node:perf_hooks';
import { percentile } from '../measure/statistics';
import { sendAtRate } from './constant-rate';
import type { Pair, Partner } from './pairs';
import { waitUntil } from './wait-until';
import type { WireFrame } from './wire';

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
  /** Refused messages that were stored all the same, because Redis executed the command but responded too late. */
  storedAfterRefusal: number;
  /** Data of the first error frame, as JSON. */
  refusal?: string;
  /** Messages or acks that arrived out of order, or twice. */
  outOfOrder: number;
  /** Latencies from the time at which a message was due until the partner received it. */
  p50Ms: number;
  p99Ms: number;
}

type Counts = Omit<RelayResult, 'sent' | 'p50Ms' | 'p99Ms'>;

const createCounts = (): Counts => ({
  acked: 0,
  received: 0,
  refused: 0,
  storedAfterRefusal: 0,
  outOfOrder: 0,
});

/** One user of a pair. The messages of a user are numbered from 1, over all runs. */
interface Side {
  partner: Partner;
  /** Number of the last message that this user has sent. */
  lastSent: number;
  /** Number of the last message of this user that was acknowledged. */
  lastAcked: number;
  /** Number of the last message that this user has received from the other one. */
  lastReceived: number;
}

/** @param number of the message among those of its sender. @param index among all messages of the run. */
const buildContent = (number: number, index: number): string =>
  `${number} ${index} `.padEnd(CONTENT_BYTES, 'x');

const parseContent = (content: string): { number: number; index: number } => {
  const [number, index] = content.split(' ', 2);
  return { number: Number(number), index: Number(index) };
};

/** Sends messages of 100 bytes in both directions of each pair, and verifies that each arrives once and in order. */
export class RelayLoad {
  /** In the order in which they send: the first users of all pairs, then the second users. */
  private readonly sides: readonly Side[];
  private counts = createCounts();
  private latenciesMs: number[] = [];
  /** When each message of the run was due (`performance.now()`), by its index. */
  private dueTimes: number[] = [];

  constructor(private readonly pairs: readonly Pair[]) {
    const firstPartners = pairs.map(([first]) => first);
    const secondPartners = pairs.map(([, second]) => second);
    this.sides = [...firstPartners, ...secondPartners].map((partner) => this.createSide(partner));
  }

  async run(perSecond: number, seconds: number): Promise<RelayResult> {
    const count = Math.round(perSecond * seconds);
    this.counts = createCounts();
    this.latenciesMs = [];
    this.dueTimes = [];
    await sendAtRate(count, perSecond, (index, dueAt) => this.send(index, dueAt));
    await waitUntil(() => {
      const acceptedCount = count - this.counts.refused;
      return this.counts.received >= acceptedCount && this.counts.acked >= acceptedCount;
    }, DRAIN_MS);
    await new Promise((resolve) => setTimeout(resolve, DUPLICATE_WAIT_MS));
    return {
      sent: count,
      ...this.counts,
      p50Ms: percentile(this.latenciesMs, 0.5),
      p99Ms: percentile(this.latenciesMs, 0.99),
    };
  }

  close(): void {
    for (const pair of this.pairs) for (const { wire } of pair) wire.close();
  }

  private send(index: number, dueAt: number): void {
    const side = this.sides[index % this.sides.length];
    if (!side) return;
    this.dueTimes[index] = dueAt;
    side.lastSent += 1;
    const { wire, sessionId } = side.partner;
    const content = buildContent(side.lastSent, index);
    const clientId = `c-${side.lastSent}`;
    wire.send('random_message', { sessionId, content, messageType: 'text', clientId }, String(side.lastSent));
  }

  private createSide(partner: Partner): Side {
    const side: Side = { partner, lastSent: 0, lastAcked: 0, lastReceived: 0 };
    partner.wire.onFrame = (frame) => this.receive(side, frame);
    return side;
  }

  private receive(side: Side, { event, data, ref }: WireFrame): void {
    if (event === 'random_message') {
      // Senders receive their own message only if it was stored after its refusal.
      if (data.senderId === side.partner.userId) this.counts.storedAfterRefusal += 1;
      else this.receiveMessage(side, String(data.content));
    } else if (event === 'ack') {
      this.counts.acked += 1;
      if (Number(ref) <= side.lastAcked) this.counts.outOfOrder += 1;
      side.lastAcked = Number(ref);
    } else if (event === 'error') {
      this.counts.refused += 1;
      this.counts.refusal ??= JSON.stringify(data);
    }
  }

  private receiveMessage(side: Side, content: string): void {
    const { number, index } = parseContent(content);
    this.counts.received += 1;
    if (number <= side.lastReceived) this.counts.outOfOrder += 1;
    side.lastReceived = number;
    const dueAt = this.dueTimes[index] ?? NaN; // never NaN: `send` stores the time before it sends the message
    this.latenciesMs.push(performance.now() - dueAt);
  }
}
