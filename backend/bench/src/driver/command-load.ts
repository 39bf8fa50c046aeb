import { sendAtRate, until } from './pacer';
import { arrive, inParallel, visit } from './visitor';
import { openPairs } from './pairs';
import { JsonWire, type Wire } from './wire';

export interface CommandResult {
  sent: number;
  acked: number;
  disorders: number;
  /** Data of the first error frame, as JSON. */
  refusal?: string;
}

interface Speaker {
  wire: Wire;
  data: object;
  sent: number;
  acked: number;
}

const DRAIN_MS = 10_000;

/**
 * Sends `message_reaction` frames that remove a reaction that does not exist. The service authenticates, validates,
 * decides and acknowledges them, but stores and publishes nothing, so they cost no call to Redis.
 */
export class CommandLoad {
  private disorders = 0;
  private refusal: string | undefined;
  private acked = 0;

  private constructor(
    private readonly speakers: readonly Speaker[],
    private readonly all: readonly Wire[],
    private readonly isRefInData = false,
  ) {
    for (const speaker of speakers) {
      speaker.wire.onFrame = ({ event, data, ref }) => {
        if (event === 'error') {
          this.refusal ??= JSON.stringify(data);
          this.disorders += 1;
        }
        if (event !== 'ack') return;
        speaker.acked += 1;
        this.acked += 1;
        if (ref !== String(speaker.acked)) this.disorders += 1;
      };
    }
  }

  /** Opens chats in the service, each with a message to react to. The users on the first origin send the commands. */
  static async inChats(origins: readonly [string, string], count: number): Promise<CommandLoad> {
    const pairs = await openPairs('thaw', origins, count);
    const speakers: Speaker[] = [];
    for (const [{ wire, sessionId, userId }] of pairs) {
      const sent = await wire.request('random_message', { sessionId, content: 'hello', messageType: 'text' });
      speakers.push(speaker(wire, { sessionId, messageId: sent.id, userId }));
    }
    return new CommandLoad(
      speakers,
      pairs.flatMap(([first, second]) => [first.wire, second.wire]),
    );
  }

  /** Sends the same frames to a server that only answers them. */
  static async bare(origin: string, count: number, isRefInData: boolean): Promise<CommandLoad> {
    const speakers: Speaker[] = [];
    await inParallel(count, 8, async (index) => {
      const wire = await JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws`);
      const sessionId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
      speakers.push(speaker(wire, { sessionId, messageId: '1763640000000-0', userId: index + 1 }));
    });
    return new CommandLoad(
      speakers,
      speakers.map(({ wire }) => wire),
      isRefInData,
    );
  }

  async run(perSecond: number, seconds: number): Promise<CommandResult> {
    const count = Math.round(perSecond * seconds);
    [this.disorders, this.acked, this.refusal] = [0, 0, undefined];
    await sendAtRate(count, perSecond, (index) => {
      const speaker = this.speakers[index % this.speakers.length];
      if (!speaker) return;
      speaker.sent += 1;
      const ref = String(speaker.sent);
      const data = this.isRefInData ? { ...speaker.data, ref } : speaker.data;
      speaker.wire.send('message_reaction', data, ref);
    });
    await until(() => this.acked >= count, DRAIN_MS);
    return { sent: count, acked: this.acked, disorders: this.disorders, refusal: this.refusal };
  }

  close(): void {
    for (const wire of this.all) wire.close();
  }
}

const speaker = (wire: Wire, data: object): Speaker => ({
  wire,
  data: { ...data, emoji: '👍', action: 'remove' },
  sent: 0,
  acked: 0,
});

/** Opens sockets that stay idle. */
export const openIdle = async (
  kind: 'thaw' | 'json' | 'socket.io',
  origin: string,
  count: number,
  open: { socketIo: (origin: string) => Promise<Wire> },
): Promise<Wire[]> => {
  const wires: Wire[] = [];
  await inParallel(count, 8, async () => {
    if (kind === 'thaw') wires.push(await arrive(origin, await visit(origin)));
    else if (kind === 'json') wires.push(await JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws`));
    else wires.push(await open.socketIo(origin));
  });
  return wires;
};
