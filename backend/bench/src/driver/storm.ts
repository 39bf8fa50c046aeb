import { performance } from 'node:perf_hooks';
import { reconnectDelayMs } from '@thaw/contract/limits';
import { openPairs, type Partner } from './pairs';
import { runInParallel } from './run-in-parallel';
import { reopenSocketIoSocket, reopenThawSocket } from './reopen-socket';
import { waitUntil } from './wait-until';
import type { Wire, WireFrame } from './wire';

export interface StormResult {
  sockets: number;
  /** Sockets that reconnected before the deadline; those of Thaw have also resumed their chats. */
  reconnected: number;
  /** From the close of the first socket until the last one reconnected. */
  lastReconnectedMs: number;
  /** Number of failed attempts, by error message. */
  refusals: Record<string, number>;
  /** Messages acknowledged in all runs so far. */
  acked: number;
  /** The messages of `acked` that never reached the partner. */
  lost: number;
}

interface Side {
  partner: Partner;
  /** The highest sequence number that this client has received. */
  seq: number;
  sent: number;
  /** Client ids of the messages that the server has acknowledged. */
  acked: Set<string>;
  /** Client ids of the messages that arrived from the partner. */
  received: Set<string>;
  isDisconnected: boolean;
  /** Attempts to reconnect since the socket was lost. */
  attempts: number;
}

type Kind = 'thaw' | 'socket.io';

const MOVE_CONCURRENCY = 16;
const RECONNECT_TIMEOUT_MS = 60_000;
const DELIVERY_TIMEOUT_MS = 10_000;
/** Interval between two messages. The sides take turns. */
const SEND_EVERY_MS = 5;

/**
 * Pairs of users whose chats are all on one replica. When the replica dies, the users' clients reconnect through a
 * proxy, with the back-off of Thaw's page.
 */
export class ReconnectStorm {
  private readonly pairs: (readonly [Side, Side])[];
  private readonly sides: readonly Side[];
  /** When the first socket of this run was closed; undefined before that. */
  private firstClosedAt: number | undefined;
  private lastReconnectedAt = 0;
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

  static async open(kind: Kind, origin: string, pairCount: number): Promise<ReconnectStorm> {
    return new ReconnectStorm(kind, await openPairs(kind, [origin, origin], pairCount));
  }

  /** Moves all sockets to one replica. */
  async moveTo(origin: string): Promise<void> {
    this.proxy = undefined;
    await runInParallel(this.sides.length, MOVE_CONCURRENCY, async (index) => {
      const side = this.sides[index];
      if (!side) return;
      // Does not call `onClose`, which is for sockets that the server closes.
      await side.partner.wire.closeAndWait();
      await this.reopen(side, origin);
    });
  }

  /**
   * Waits until the replica has died and every socket has reconnected through `proxy`. Meanwhile the clients of Thaw
   * send messages in their chats, one at a time. Afterwards each of them sends a final one.
   */
  async run(proxy: string): Promise<StormResult> {
    this.proxy = proxy;
    this.firstClosedAt = undefined;
    this.lastReconnectedAt = 0;
    this.refusals = {};
    // The Socket.IO baseline cannot resume a chat, so its clients send no messages.
    const sendsMessages = this.kind === 'thaw';
    let nextIndex = 0;
    const messageTimer = setInterval(() => {
      const side = this.sides[nextIndex % this.sides.length];
      if (sendsMessages && side && !side.isDisconnected) this.sendMessage(side);
      nextIndex += 1;
    }, SEND_EVERY_MS);
    const haveAllReconnected = (): boolean =>
      this.firstClosedAt !== undefined && this.sides.every(({ isDisconnected }) => !isDisconnected);
    const hasTimedOut = (): boolean =>
      this.firstClosedAt !== undefined && performance.now() - this.firstClosedAt > RECONNECT_TIMEOUT_MS;
    // The limit of `waitUntil` only ends a run in which no socket closes.
    await waitUntil(() => haveAllReconnected() || hasTimedOut(), 2 * RECONNECT_TIMEOUT_MS);
    clearInterval(messageTimer);
    const reconnectedSides = this.sides.filter(({ isDisconnected }) => !isDisconnected);
    if (sendsMessages) await this.sendFinalMessages(reconnectedSides);
    return {
      sockets: this.sides.length,
      reconnected: reconnectedSides.length,
      lastReconnectedMs: this.firstClosedAt === undefined ? 0 : this.lastReconnectedAt - this.firstClosedAt,
      refusals: this.refusals,
      acked: this.sides.reduce((sum, { acked }) => sum + acked.size, 0),
      lost: this.lostCount,
    };
  }

  /** Sends one more message from each socket, and waits until these are acknowledged and no message is missing. */
  private async sendFinalMessages(sides: readonly Side[]): Promise<void> {
    const finalMessages = new Map(sides.map((side) => [side, this.sendMessage(side)]));
    await waitUntil(
      () => [...finalMessages].every(([{ acked }, clientId]) => acked.has(clientId)) && this.lostCount === 0,
      DELIVERY_TIMEOUT_MS,
    );
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
      this.firstClosedAt ??= performance.now();
      this.scheduleReconnect(side);
    };
  }

  /** @returns the client id of the message */
  private sendMessage(side: Side): string {
    side.sent += 1;
    const clientId = `c-${side.sent}`;
    const { wire, sessionId } = side.partner;
    wire.send('random_message', { sessionId, content: 'hello', messageType: 'text', clientId }, clientId);
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
          this.lastReconnectedAt = performance.now();
        },
        (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          this.refusals[reason] = (this.refusals[reason] ?? 0) + 1;
          this.scheduleReconnect(side);
        },
      );
    }, reconnectDelayMs(side.attempts));
  }

  /** Opens a new socket for one side, and resumes its chat in Thaw. */
  private async reopen(side: Side, origin: string): Promise<void> {
    // For the frames that arrive before `attachWire`, such as `session_resumed`.
    const onFrame = (frame: WireFrame): void => recordFrame(side, frame);
    const wire =
      this.kind === 'thaw'
        ? await reopenThawSocket(side.partner, origin, side.seq, onFrame)
        : await reopenSocketIoSocket(side.partner, origin, onFrame);
    this.attachWire(side, wire);
  }
}

/** Counts the messages that `sender` has an ack for and `receiver` has not received. */
const countMissing = (sender: Side, receiver: Side): number =>
  [...sender.acked].filter((clientId) => !receiver.received.has(clientId)).length;

const recordFrame = (side: Side, { event, data }: WireFrame): void => {
  // This frame contains the events of the chat that the client has missed.
  if (event === 'session_resumed') {
    for (const missedFrame of data.events as WireFrame[]) recordFrame(side, missedFrame);
    return;
  }
  if (typeof data?.seq === 'number') side.seq = Math.max(side.seq, data.seq);
  if (event === 'ack' && typeof data.clientId === 'string') side.acked.add(data.clientId);
  if (event === 'random_message' && data.senderId !== side.partner.userId)
    side.received.add(String(data.clientId));
};
