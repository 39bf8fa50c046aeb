import { sendAtRate, waitUntil } from './constant-rate';
import { type ContenderKind, openPairs, type Pair, type Partner } from './pairs';
import { reopenSocketIoSocket, reopenThawSocket } from './reopen-socket';
import { SocketIoWire, type Wire, type WireFrame } from './wire';

export interface CutResult {
  sent: number;
  /** Messages that the partner received at least once. */
  delivered: number;
  /** Messages that the partner received more than once. */
  doubled: number;
  cuts: number;
}

interface Side {
  self: Partner;
  /** The highest sequence number that this client has received. */
  seq: number;
  isConnected: boolean;
  /** Messages without an acknowledgement, in the order of sending. */
  pending: Map<string, string>;
  /** How often each message of the other side was received, by its client id. */
  received: Map<string, number>;
  sent: number;
}

const CUT_EVERY_MS = 15_000;
const CUT_FOR_MS = 2_000;
/** How long the last messages may take after the last reconnection. */
const DELIVERED_WITHIN_MS = 5_000;

/**
 * Pairs who talk while the TCP connection of every client is cut each 15 s, for 2 s. What a client is to send meanwhile
 * waits for its next connection, as in the page and in the client of Socket.IO. The page also repeats what was not
 * acknowledged; the client of Socket.IO does not.
 */
export class CutLoad {
  private readonly sides: (readonly [Side, Side])[];
  private isOver = false;
  private cuts = 0;

  private constructor(
    private readonly contender: ContenderKind,
    private readonly origins: readonly [string, string],
    pairs: readonly Pair[],
  ) {
    this.sides = pairs.map(([first, second]) => [createSide(first), createSide(second)]);
  }

  static async open(
    contender: ContenderKind,
    origins: readonly [string, string],
    pairs: number,
  ): Promise<CutLoad> {
    return new CutLoad(contender, origins, await openPairs(contender, origins, pairs));
  }

  async run(perSecond: number, seconds: number): Promise<CutResult> {
    const all = this.sides.flat();
    const timers = all.map((side, index) =>
      setTimeout(() => this.cutAgain(side, index), (CUT_EVERY_MS * (index + 1)) / all.length),
    );
    await sendAtRate(Math.round(perSecond * seconds), perSecond, (index) => {
      const side = all[index % all.length];
      if (side) this.send(side);
    });
    timers.forEach(clearTimeout);
    this.isOver = true;
    await waitUntil(() => all.every(({ isConnected }) => isConnected), 2 * CUT_FOR_MS + DELIVERED_WITHIN_MS);
    await waitUntil(() => this.count().delivered === this.count().sent, DELIVERED_WITHIN_MS);
    return { ...this.count(), cuts: this.cuts };
  }

  close(): void {
    this.isOver = true;
    for (const { self } of this.sides.flat()) self.wire.close();
  }

  private count(): Pick<CutResult, 'sent' | 'delivered' | 'doubled'> {
    const all = this.sides.flat();
    return {
      sent: all.reduce((sum, { sent }) => sum + sent, 0),
      delivered: all.reduce((sum, { received }) => sum + received.size, 0),
      doubled: all.reduce((sum, { received }) => sum + [...received.values()].filter((n) => n > 1).length, 0),
    };
  }

  private send(side: Side): void {
    const clientId = `${side.self.userId}-${(side.sent += 1)}`;
    side.pending.set(clientId, 'x'.repeat(100));
    if (side.isConnected) this.transmit(side, clientId);
  }

  private transmit({ self, pending }: Side, clientId: string): void {
    const { sessionId } = self;
    const content = pending.get(clientId) ?? '';
    self.wire.send('random_message', { sessionId, content, messageType: 'text', clientId }, clientId);
    if (this.contender !== 'thaw') pending.delete(clientId);
  }

  private cutAgain(side: Side, index: number): void {
    if (this.isOver) return;
    this.cuts += 1;
    side.isConnected = false;
    side.self.wire.cut();
    setTimeout(() => void this.reconnect(side, index), CUT_FOR_MS);
    setTimeout(() => this.cutAgain(side, index), CUT_EVERY_MS);
  }

  private async reconnect(side: Side, index: number): Promise<void> {
    const origin = this.origins[index % 2] ?? '';
    const onFrame = (frame: WireFrame): void => recordFrame(side, frame);
    const previous = side.self.wire;
    try {
      side.self.wire = await this.reopen(side, origin, previous, onFrame);
    } catch {
      // Tried until it succeeds: the time without a connection is longer, but nothing may be lost.
      setTimeout(() => void this.reconnect(side, index), CUT_FOR_MS);
      return;
    }
    side.self.wire.onFrame = onFrame;
    side.isConnected = true;
    for (const clientId of [...side.pending.keys()]) this.transmit(side, clientId);
  }

  private reopen(
    side: Side,
    origin: string,
    previous: Wire,
    onFrame: (frame: WireFrame) => void,
  ): Promise<Wire> {
    if (this.contender === 'thaw') return reopenThawSocket(side.self, origin, side.seq, onFrame);
    const lost = previous instanceof SocketIoWire ? previous : undefined;
    return reopenSocketIoSocket(side.self, origin, onFrame, lost);
  }
}

const createSide = (self: Partner): Side => {
  const side: Side = { self, seq: 0, isConnected: true, pending: new Map(), received: new Map(), sent: 0 };
  self.wire.onFrame = (frame) => recordFrame(side, frame);
  return side;
};

const recordFrame = (side: Side, { event, data }: WireFrame): void => {
  if (event === 'session_resumed') {
    for (const entry of data.events as WireFrame[]) recordFrame(side, entry);
    return;
  }
  if (typeof data?.seq === 'number') side.seq = Math.max(side.seq, data.seq);
  const clientId = String(data?.clientId);
  if (event === 'ack') side.pending.delete(clientId);
  if (event !== 'random_message') return;
  // A resume also brings the client's own messages whose acknowledgement was lost.
  if (data.senderId === side.self.userId) side.pending.delete(clientId);
  else side.received.set(clientId, (side.received.get(clientId) ?? 0) + 1);
};
