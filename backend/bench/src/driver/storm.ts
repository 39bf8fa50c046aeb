import { performance } from 'node:perf_hooks';
import { reconnectDelayMs } from '@thaw/contract/limits';
import { waitUntil } from './constant-rate';
import { openPairs, type Partner } from './pairs';
import { runInParallel } from './visitor';
import { reopenSocketIoSocket, reopenThawSocket } from './reopen-socket';
import type { Wire, WireFrame } from './wire';

export interface StormResult {
  sockets: number;
  /** Sockets that reconnected before the deadline. */
  resumed: number;
  /** From the first socket that closed until the last one reconnected. */
  lastResumedMs: number;
  /** Failed attempts, by error message. */
  refusals: Record<string, number>;
  acked: number;
  /** Messages that were acknowledged but never reached the partner. */
  lost: number;
}

interface Side {
  partner: Partner;
  /** The highest sequence number that this client has received. */
  seq: number;
  sent: number;
  acked: Set<string>;
  received: Set<string>;
  isDisconnected: boolean;
  attempts: number;
}

type Kind = 'thaw' | 'socket.io';

const MOVE_CONCURRENCY = 16;
const RECONNECTED_WITHIN_MS = 60_000;
const DELIVERED_WITHIN_MS = 10_000;
/** Interval between two messages, each from the next side in turn. */
const SEND_EVERY_MS = 5;

/** Pairs in chats on one replica. When it dies, their clients reconnect through a proxy with the page's back-off. */
export class ReconnectStorm {
  private readonly pairs: (readonly [Side, Side])[];
  private readonly sides: readonly Side[];
  private closedAt: number | undefined;
  private resumedAt = 0;
  private refusals: Record<string, number> = {};
  /** Origin that closed sockets reconnect to; undefined: they do not reconnect. */
  private proxy: string | undefined;

  private constructor(
    private readonly kind: Kind,
    pairs: readonly (readonly [Partner, Partner])[],
  ) {
    this.pairs = pairs.map(([first, second]) => [this.createSide(first), this.createSide(second)]);
    this.sides = this.pairs.flat();
  }

  static async open(kind: Kind, origin: string, pairs: number): Promise<ReconnectStorm> {
    return new ReconnectStorm(kind, await openPairs(kind, [origin, origin], pairs));
  }

  /** Moves all sockets to one replica. */
  async moveTo(origin: string): Promise<void> {
    this.proxy = undefined;
    await runInParallel(this.sides.length, MOVE_CONCURRENCY, async (index) => {
      const side = this.sides[index];
      if (!side) return;
      await side.partner.wire.closeAndWait();
      await this.reopen(side, origin);
    });
  }

  /**
   * Sends messages in the chats, one at a time, until the replica has died and every socket has reconnected through
   * `proxy`. Then sends one more message from each socket.
   */
  async run(proxy: string): Promise<StormResult> {
    [this.proxy, this.closedAt, this.resumedAt, this.refusals] = [proxy, undefined, 0, {}];
    let next = 0;
    const messageTimer = setInterval(() => {
      const side = this.sides[next % this.sides.length];
      if (side && !side.isDisconnected) this.sendMessage(side);
      next += 1;
    }, SEND_EVERY_MS);
    const haveAllReconnected = (): boolean =>
      this.closedAt !== undefined && this.sides.every(({ isDisconnected }) => !isDisconnected);
    const hasTimedOut = (): boolean =>
      this.closedAt !== undefined && performance.now() - this.closedAt > RECONNECTED_WITHIN_MS;
    await waitUntil(() => haveAllReconnected() || hasTimedOut(), 2 * RECONNECTED_WITHIN_MS);
    clearInterval(messageTimer);
    const reconnected = this.sides.filter(({ isDisconnected }) => !isDisconnected);
    const finalMessages = new Map(reconnected.map((side) => [side, this.sendMessage(side)]));
    await waitUntil(
      () => [...finalMessages].every(([{ acked }, clientId]) => acked.has(clientId)) && this.lostCount === 0,
      this.kind === 'thaw' ? DELIVERED_WITHIN_MS : 0,
    );
    return {
      sockets: this.sides.length,
      resumed: reconnected.length,
      lastResumedMs: this.resumedAt - (this.closedAt ?? this.resumedAt),
      refusals: this.refusals,
      acked: this.sides.reduce((sum, { acked }) => sum + acked.size, 0),
      lost: this.lostCount,
    };
  }

  close(): void {
    this.proxy = undefined;
    for (const { partner } of this.sides) partner.wire.close();
  }

  private get lostCount(): number {
    return this.pairs.reduce((sum, [a, b]) => sum + countMissing(a, b) + countMissing(b, a), 0);
  }

  private createSide(partner: Partner): Side {
    const side: Side = {
      partner,
      seq: 0,
      sent: 0,
      acked: new Set(),
      received: new Set(),
      isDisconnected: false,
      attempts: 0,
    };
    this.attachWire(side, partner.wire);
    return side;
  }

  private attachWire(side: Side, wire: Wire): void {
    side.partner.wire = wire;
    wire.onFrame = (frame) => recordFrame(side, frame);
    wire.onClose = () => {
      side.isDisconnected = true;
      this.closedAt ??= performance.now();
      this.scheduleReconnect(side);
    };
  }

  private sendMessage(side: Side): string {
    const clientId = `c-${(side.sent += 1)}`;
    // The Socket.IO baseline cannot resume a chat, so nothing is sent or counted there.
    if (this.kind === 'thaw') {
      const { wire, sessionId } = side.partner;
      wire.send('random_message', { sessionId, content: 'hello', messageType: 'text', clientId }, clientId);
    }
    return clientId;
  }

  private scheduleReconnect(side: Side): void {
    const { proxy } = this;
    if (proxy === undefined) return;
    side.attempts += 1;
    setTimeout(() => {
      this.reopen(side, proxy).then(
        () => {
          side.isDisconnected = false;
          side.attempts = 0;
          this.resumedAt = performance.now();
        },
        (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          this.refusals[reason] = (this.refusals[reason] ?? 0) + 1;
          this.scheduleReconnect(side);
        },
      );
    }, reconnectDelayMs(side.attempts));
  }

  /** Opens a new socket for one side and resumes its chat. */
  private async reopen(side: Side, origin: string): Promise<void> {
    const onFrame = (frame: WireFrame): void => recordFrame(side, frame);
    const wire =
      this.kind === 'thaw'
        ? await reopenThawSocket(side.partner, origin, side.seq, onFrame)
        : await reopenSocketIoSocket(side.partner, origin, onFrame);
    this.attachWire(side, wire);
  }
}

/** Number of messages for which `from` has an ack and which `to` has not received. */
const countMissing = (from: Side, to: Side): number =>
  [...from.acked].filter((clientId) => !to.received.has(clientId)).length;

const recordFrame = (side: Side, { event, data }: WireFrame): void => {
  if (event === 'session_resumed') {
    for (const entry of data.events as WireFrame[]) recordFrame(side, entry);
    return;
  }
  if (typeof data?.seq === 'number') side.seq = Math.max(side.seq, data.seq);
  if (event === 'ack' && typeof data.clientId === 'string') side.acked.add(data.clientId);
  if (event === 'random_message' && data.senderId !== side.partner.userId)
    side.received.add(String(data.clientId));
};
