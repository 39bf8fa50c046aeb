import { sendAtRate } from './constant-rate';
import { type ContenderKind, openPairs, type Pair, type Partner } from './pairs';
import { reopenSocketIoSocket, reopenThawSocket } from './reopen-socket';
import { waitUntil } from './wait-until';
import { SocketIoWire, type Wire, type WireFrame } from './wire';

export interface CutResult {
  sent: number;
  /** Messages that the partner received at least once. */
  delivered: number;
  /** Messages that the partner received more than once. */
  duplicates: number;
  cuts: number;
}

interface Side {
  /** The user of this side. */
  self: Partner;
  /** The highest sequence number that this client has received. */
  seq: number;
  isConnected: boolean;
  /** Contents of the messages that are not sent or (in Thaw) not acknowledged yet, by client id, in order. */
  pending: Map<string, string>;
  /** How often each message of the other side was received, by its client id. */
  received: Map<string, number>;
  sent: number;
}

/** Content of every message. */
const CONTENT = 'x'.repeat(100);
const CUT_EVERY_MS = 15_000;
const CUT_FOR_MS = 2_000;
/** Time for the last messages to arrive after the last reconnect; also the margin for that reconnect. */
const DELIVERY_TIMEOUT_MS = 5_000;

/**
 * Pairs who chat while the TCP connection of every client is cut every `CUT_EVERY_MS`, for `CUT_FOR_MS`. A message that
 * is sent during a cut waits for the next connection, as in Thaw's page and in the client of Socket.IO. The page also
 * sends messages again that were not acknowledged; the client of Socket.IO does not.
 */
export class CutLoad {
  private readonly sides: (readonly [Side, Side])[];
  private isOver = false;
  private cuts = 0;

  private constructor(
    private readonly kind: ContenderKind,
    private readonly origins: readonly [string, string],
    pairs: readonly Pair[],
  ) {
    this.sides = pairs.map(([first, second]) => [createSide(first), createSide(second)]);
  }

  static async open(
    kind: ContenderKind,
    origins: readonly [string, string],
    pairCount: number,
  ): Promise<CutLoad> {
    return new CutLoad(kind, origins, await openPairs(kind, origins, pairCount));
  }

  async run(perSecond: number, seconds: number): Promise<CutResult> {
    const sides = this.sides.flat();
    // The first cuts are spread over one interval, so that cuts do not coincide.
    const firstCutTimers = sides.map((side, index) =>
      setTimeout(() => this.cutRepeatedly(side, index), (CUT_EVERY_MS * (index + 1)) / sides.length),
    );
    await sendAtRate(Math.round(perSecond * seconds), perSecond, (index) => {
      const side = sides[index % sides.length];
      if (side) this.send(side);
    });
    firstCutTimers.forEach(clearTimeout);
    this.isOver = true; // prevents the later cuts
    // Twice CUT_FOR_MS, because a client whose first attempt to reconnect fails waits for CUT_FOR_MS once more.
    await waitUntil(
      () => sides.every(({ isConnected }) => isConnected),
      2 * CUT_FOR_MS + DELIVERY_TIMEOUT_MS,
    );
    await waitUntil(() => this.countMessages().delivered === this.countMessages().sent, DELIVERY_TIMEOUT_MS);
    return { ...this.countMessages(), cuts: this.cuts };
  }

  close(): void {
    this.isOver = true;
    for (const { self } of this.sides.flat()) self.wire.close();
  }

  private countMessages(): Pick<CutResult, 'sent' | 'delivered' | 'duplicates'> {
    const sides = this.sides.flat();
    return {
      sent: sides.reduce((sum, { sent }) => sum + sent, 0),
      delivered: sides.reduce((sum, { received }) => sum + received.size, 0),
      duplicates: sides.reduce(
        (sum, { received }) => sum + [...received.values()].filter((times) => times > 1).length,
        0,
      ),
    };
  }

  private send(side: Side): void {
    side.sent += 1;
    const clientId = `${side.self.userId}-${side.sent}`;
    side.pending.set(clientId, CONTENT);
    if (side.isConnected) this.transmit(side, clientId);
  }

  private transmit({ self, pending }: Side, clientId: string): void {
    const { sessionId } = self;
    const content = pending.get(clientId) ?? '';
    self.wire.send('random_message', { sessionId, content, messageType: 'text', clientId }, clientId);
    // The client of Socket.IO never sends a message twice. Thaw's client keeps a message until its ack arrives.
    if (this.kind !== 'thaw') pending.delete(clientId);
  }

  private cutRepeatedly(side: Side, index: number): void {
    if (this.isOver) return;
    this.cuts += 1;
    side.isConnected = false;
    side.self.wire.cut();
    setTimeout(() => void this.reconnect(side, index), CUT_FOR_MS);
    setTimeout(() => this.cutRepeatedly(side, index), CUT_EVERY_MS);
  }

  private async reconnect(side: Side, index: number): Promise<void> {
    // The sides of all pairs alternate between the first and the second user, as the origins do.
    const origin = this.origins[index % 2] ?? '';
    try {
      side.self.wire = await this.reopen(side, origin, (frame) => recordFrame(side, frame));
    } catch {
      // The client retries until it is connected. Only lost messages are faults, not a longer time without a
      // connection.
      setTimeout(() => void this.reconnect(side, index), CUT_FOR_MS);
      return;
    }
    side.isConnected = true;
    for (const clientId of [...side.pending.keys()]) this.transmit(side, clientId);
  }

  private reopen(side: Side, origin: string, onFrame: (frame: WireFrame) => void): Promise<Wire> {
    if (this.kind === 'thaw') return reopenThawSocket(side.self, origin, side.seq, onFrame);
    // A server with recovery restores the session of the lost wire.
    const lostWire = side.self.wire instanceof SocketIoWire ? side.self.wire : undefined;
    return reopenSocketIoSocket(side.self, origin, onFrame, lostWire);
  }
}

const createSide = (self: Partner): Side => {
  const side: Side = { self, seq: 0, isConnected: true, pending: new Map(), received: new Map(), sent: 0 };
  self.wire.onFrame = (frame) => recordFrame(side, frame);
  return side;
};

const recordFrame = (side: Side, { event, data }: WireFrame): void => {
  if (event === 'session_resumed') {
    // The events of the chat that the client has missed.
    for (const missedFrame of data.events as WireFrame[]) recordFrame(side, missedFrame);
    return;
  }
  if (typeof data?.seq === 'number') side.seq = Math.max(side.seq, data.seq);
  const clientId = String(data?.clientId);
  if (event === 'ack') side.pending.delete(clientId);
  if (event !== 'random_message') return;
  // The missed events include the client's own messages whose acknowledgement was lost.
  if (data.senderId === side.self.userId) side.pending.delete(clientId);
  else side.received.set(clientId, (side.received.get(clientId) ?? 0) + 1);
};
