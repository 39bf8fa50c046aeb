import { sendAtRate } from './constant-rate';
import { openAuthenticatedSocket, createVisitor } from './visitor';
import { runInParallel } from './run-in-parallel';
import { openPairs } from './pairs';
import { waitUntil } from './wait-until';
import { JsonWire, SocketIoWire, type Wire, type WireFrame } from './wire';

export interface CommandResult {
  sent: number;
  acked: number;
  /** Commands that were refused, or acknowledged out of order. */
  faultCount: number;
  /** Data of the first error frame, as JSON. */
  refusal?: string;
}

interface CommandSender {
  wire: Wire;
  /** Data of every command. */
  data: object;
  /** Number of commands sent, in all runs. The `ref` of a command is its number, from 1 on. */
  sent: number;
  /** Number of commands acknowledged, in all runs. */
  acked: number;
}

/** Time within which the last acks must arrive after the last command is sent. */
const DRAIN_MS = 10_000;
const OPENING_CONCURRENCY = 8;

/**
 * Sends commands without an effect: `message_reaction` frames that remove a reaction that does not exist. The service
 * authenticates, validates, decides and acknowledges them. It stores and publishes nothing, so it does not call Redis.
 */
export class CommandLoad {
  private faultCount = 0;
  private refusal: string | undefined;
  private acked = 0;

  private constructor(
    private readonly senders: readonly CommandSender[],
    private readonly wires: readonly Wire[],
    /** `isRefInData`: whether the data of a command also contain its `ref`. */
    private readonly options: { isRefInData: boolean },
  ) {
    for (const sender of senders) sender.wire.onFrame = (frame) => this.receive(sender, frame);
  }

  /**
   * Opens chats in the service, each with one message to which the commands refer. The users on the first origin send
   * the commands.
   */
  static async openChats(origins: readonly [string, string], count: number): Promise<CommandLoad> {
    const pairs = await openPairs('thaw', origins, count);
    const senders: CommandSender[] = [];
    for (const [{ wire, sessionId, userId }] of pairs) {
      const ack = await wire.request('random_message', { sessionId, content: 'hello', messageType: 'text' });
      senders.push(createSender(wire, { sessionId, messageId: ack.id, userId }));
    }
    return new CommandLoad(
      senders,
      pairs.flatMap(([first, second]) => [first.wire, second.wire]),
      { isRefInData: false },
    );
  }

  /**
   * Opens sockets to a baseline: a server that only acknowledges the same frames. The ids in the frames have the same
   * length as those of the service.
   * @param options.isRefInData for a server that reads the `ref` of a command from its data instead of from the frame
   */
  static async connectToBaseline(
    origin: string,
    count: number,
    options: { isRefInData: boolean },
  ): Promise<CommandLoad> {
    const senders: CommandSender[] = [];
    await runInParallel(count, OPENING_CONCURRENCY, async (index) => {
      const wire = await JsonWire.open(toSocketUrl(origin));
      const sessionId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
      senders.push(createSender(wire, { sessionId, messageId: '1763640000000-0', userId: index + 1 }));
    });
    return new CommandLoad(
      senders,
      senders.map(({ wire }) => wire),
      options,
    );
  }

  async run(perSecond: number, seconds: number): Promise<CommandResult> {
    const count = Math.round(perSecond * seconds);
    this.faultCount = 0;
    this.refusal = undefined;
    this.acked = 0;
    await sendAtRate(count, perSecond, (index) => this.send(index));
    await waitUntil(() => this.acked >= count, DRAIN_MS);
    return { sent: count, acked: this.acked, faultCount: this.faultCount, refusal: this.refusal };
  }

  close(): void {
    for (const wire of this.wires) wire.close();
  }

  /** The senders take turns. */
  private send(index: number): void {
    const sender = this.senders[index % this.senders.length];
    if (!sender) return;
    sender.sent += 1;
    const ref = String(sender.sent);
    const data = this.options.isRefInData ? { ...sender.data, ref } : sender.data;
    sender.wire.send('message_reaction', data, ref);
  }

  private receive(sender: CommandSender, { event, data, ref }: WireFrame): void {
    if (event === 'error') {
      this.refusal ??= JSON.stringify(data);
      this.faultCount += 1;
    } else if (event === 'ack') {
      sender.acked += 1;
      this.acked += 1;
      const isInOrder = ref === String(sender.acked);
      if (!isInOrder) this.faultCount += 1;
    }
  }
}

const createSender = (wire: Wire, data: object): CommandSender => ({
  wire,
  data: { ...data, emoji: '👍', action: 'remove' },
  sent: 0,
  acked: 0,
});

const toSocketUrl = (origin: string): string => `${origin.replace(/^http/, 'ws')}/ws`;

/** Opens sockets that stay idle; those of Thaw are authenticated. */
export const openIdleSockets = async (
  kind: 'thaw' | 'bare ws' | 'socket.io',
  origin: string,
  count: number,
): Promise<Wire[]> => {
  const wires: Wire[] = [];
  await runInParallel(count, OPENING_CONCURRENCY, async () => {
    if (kind === 'thaw') wires.push(await openAuthenticatedSocket(origin, await createVisitor(origin)));
    else if (kind === 'bare ws') wires.push(await JsonWire.open(toSocketUrl(origin)));
    else wires.push(await SocketIoWire.open(origin));
  });
  return wires;
};
