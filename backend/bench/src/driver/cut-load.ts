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

/** One of the two users of a pair, and what their client has sent and received. */
interface Side {
  user: Partner;
  /** The server to which this client connects. */
  origin: string;
  /** The highest sequence number that this client has received. */
  seq: number;
  isConnected: boolean;
  sent: number;
  /** Client ids of the messages that are not sent or (in Thaw) not acknowledged yet, in order. */
  pending: Set<string>;
  /** How often each message of the partner was received, by its client id. */
  received: Map<string, number>;
}

/** Content of every message. */
const CONTENT = 'x'.repeat(100);
const CUT_EVERY_MS = 15_000;
const CUT_FOR_MS = 2_000;
/** A client whose first attempt to reconnect fails waits for `CUT_FOR_MS` once more. The 5 s are a margin. */
const RECONNECT_TIMEOUT_MS = 2 * CUT_FOR_MS + 5_000;
/** Time for the last messages to arrive after the last reconnect. */
const DELIVERY_TIMEOUT_MS = 5_000;

/**
 * Pairs who chat while the TCP connection of every client is cut every `CUT_EVERY_MS`, for `CUT_FOR_MS`. A message that
 * is sent during a cut waits for the next connection, as in Thaw's page and in the client of Socket.IO. The page also
 * sends messages again that were not acknowledged; the client of Socket.IO does not.
 */
export class CutLoad {
  /** The two sides of each pair are next to each other. */
  private readonly sides: readonly Side[];
  private isOver = false;
  private cuts = 0;

  private constructor(
    private readonly kind: ContenderKind,
    [firstOrigin, secondOrigin]: readonly [string, string],
    pairs: readonly Pair[],
  ) {
    this.sides = pairs.flatMap(([first, second]) => [
      createSide(first, firstOrigin),
      createSide(second, secondOrigin),
    ]);
  }

  static async open(
    kind: ContenderKind,
    origins: readonly [string, string],
    pairCount: number,
  ): Promise<CutLoad> {
    return new CutLoad(kind, origins, await openPairs(kind, origins, pairCount));
  }

  async run(perSecond: number, seconds: number): Promise<CutResult> {
    const { sides } = this;
    // The first cuts are spread over one interval, so that cuts do not coincide.
    const firstCutTimers = sides.map((side, index) =>
      setTimeout(() => this.cutRepeatedly(side), (CUT_EVERY_MS * (index + 1)) / sides.length),
    );
    await sendAtRate(Math.round(perSecond * seconds), perSecond, (index) => {
      const side = sides[index % sides.length];
      if (side) this.sendMessage(side);
    });
    firstCutTimers.forEach(clearTimeout);
    this.isOver = true; // prevents the later cuts
    await waitUntil(() => sides.every(({ isConnected }) => isConnected), RECONNECT_TIMEOUT_MS);
    await waitUntil(() => this.countMessages().delivered === this.countMessages().sent, DELIVERY_TIMEOUT_MS);
    return { ...this.countMessages(), cuts: this.cuts };
  }

  close(): void {
    this.isOver = true;
    for (const { user } of this.sides) user.wire.close();
  }

  private countMessages(): Pick<CutResult, 'sent' | 'delivered' | 'duplicates'> {
    const timesReceived = this.sides.flatMap(({ received }) => [...received.values()]);
    return {
      sent: this.sides.reduce((sum, { sent }) => sum + sent, 0),
      delivered: timesReceived.length,
      duplicates: timesReceived.filter((times) => times > 1).length,
    };
  }

  private sendMessage(side: Side): void {
    side.sent += 1;
    const clientId = `${side.user.userId}-${side.sent}`;
    side.pending.add(clientId);
    if (side.isConnected) this.transmit(side, clientId);
  }

  private transmit({ user, pending }: Side, clientId: string): void {
    const { sessionId } = user;
    const message = { sessionId, content: CONTENT, messageType: 'text', clientId };
    user.wire.send('random_message', message, clientId);
    // The client of Socket.IO never sends a message twice. Thaw's client keeps a message until its ack arrives.
    if (this.kind !== 'thaw') pending.delete(clientId);
  }

  private cutRepeatedly(side: Side): void {
    if (this.isOver) return;
    this.cuts += 1;
    side.isConnected = false;
    side.user.wire.cut();
    setTimeout(() => void this.reconnect(side), CUT_FOR_MS);
    setTimeout(() => this.cutRepeatedly(side), CUT_EVERY_MS);
  }

  private async reconnect(side: Side): Promise<void> {
    try {
      side.user.wire = await this.reopen(side);
    } catch {
      // The client retries until it is connected. The benchmark counts lost and duplicate messages, not the time
      // without a connection.
      setTimeout(() => void this.reconnect(side), CUT_FOR_MS);
      return;
    }
    side.isConnected = true;
    for (const clientId of [...side.pending]) this.transmit(side, clientId);
  }

  private reopen(side: Side): Promise<Wire> {
    const { user, origin, seq } = side;
    const onFrame = (frame: WireFrame): void => recordFrame(side, frame);
    if (this.kind === 'thaw') return reopenThawSocket(user, origin, seq, onFrame);
    // A Socket.IO server that has connection state recovery enabled restores the session of the lost wire.
    const lostWire = user.wire instanceof SocketIoWire ? user.wire : undefined;
    return reopenSocketIoSocket(user, origin, onFrame, lostWire);
  }
}

const createSide = (user: Partner, origin: string): Side => {
  const side: Side = {
    user,
    origin,
    seq: 0,
    isConnected: true,
    sent: 0,
    pending: new Set(),
    received: new Map(),
  };
  user.wire.onFrame = (frame) => recordFrame(side, frame);
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
  const isMessage = event === 'random_message';
  // The missed events include the client's own messages whose acknowledgement was lost.
  const isOwnMessage = isMessage && data.senderId === side.user.userId;
  if (event === 'ack' || isOwnMessage) side.pending.delete(clientId);
  else if (isMessage) side.received.set(clientId, (side.received.get(clientId) ?? 0) + 1);
};
