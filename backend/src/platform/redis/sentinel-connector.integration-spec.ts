// Uses a real Redis as the primary. The Sentinels are stand-ins, so that the tests can delay their replies.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { until } from '../../testing/until.functions';
import { connectRedis, type RedisClient } from './redis-connection.factory';

jest.setTimeout(30_000);

/** The channel on which Sentinels announce a new primary. */
const CHANNEL = '+switch-master';

/** Encodes an array of strings in the protocol of Redis (RESP). */
const encode = (texts: readonly string[]): string =>
  `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;

/** Decodes commands. `CLIENT ID` is sent in five lines: `*2` (words), `$6` (characters), `CLIENT`, `$2`, `ID`. */
const decodeCommands = (text: string): string[][] => {
  const commands = text.split(/^\*\d+\r\n/m).slice(1);
  return commands.map((command) => command.split('\r\n').filter((line) => !/^\$\d+$/.test(line)));
};

class StandInSentinel {
  readonly subscribers = new Set<Socket>();
  /** Functions that send the delayed replies to requests for the address of the primary. */
  delayedReplies: (() => void)[] = [];
  isDelaying = false;
  private readonly server = createServer((socket) => this.serve(socket));
  private readonly sockets = new Set<Socket>();

  constructor(private readonly primary: URL) {}

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends what Sentinel sends when it has replaced a primary. */
  announceNewPrimary(): void {
    for (const socket of this.subscribers) socket.write(encode(['message', CHANNEL, 'main']));
  }

  /** Sends the delayed replies, and no longer delays later ones. */
  release(): void {
    this.isDelaying = false;
    for (const reply of this.delayedReplies.splice(0)) reply();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.subscribers.delete(socket));
    socket.on('data', (data) => {
      for (const words of decodeCommands(data.toString())) this.handleCommand(socket, words);
    });
  }

  private handleCommand(socket: Socket, words: readonly string[]): void {
    const { hostname, port } = this.primary;
    const firstTwoWords = words.slice(0, 2).join(' ').toLowerCase();
    switch (firstTwoWords) {
      case 'hello 3':
        // ioredis then uses version 2 of the protocol.
        socket.write('-NOPROTO unsupported protocol version\r\n');
        return;
      case 'sentinel get-master-addr-by-name': {
        const reply = () => socket.write(encode([hostname, port]));
        if (this.isDelaying) this.delayedReplies.push(reply);
        else reply();
        return;
      }
      case 'sentinel sentinels': // no Sentinels besides those that the client knows
        socket.write('*0\r\n');
        return;
      case `subscribe ${CHANNEL}`:
        this.subscribers.add(socket);
        // `encode` cannot encode the number at the end of this reply.
        socket.write(`*3\r\n$9\r\nsubscribe\r\n$${CHANNEL.length}\r\n${CHANNEL}\r\n:1\r\n`);
        return;
      default:
        socket.write('+OK\r\n');
    }
  }
}

describe('a connection through Sentinel', () => {
  const primary = new URL(process.env.REDIS_URL ?? '');
  let sentinels: StandInSentinel[];
  let redis: RedisClient | undefined;

  const connect = () => {
    const userInfo = primary.password ? `${primary.username}:${primary.password}@` : '';
    const addresses = sentinels.map(({ address }) => address).join();
    redis = connectRedis({ REDIS_URL: `redis+sentinel://${userInfo}${addresses}/main` });
    return redis;
  };

  beforeEach(async () => {
    sentinels = await Promise.all([1, 2].map(() => new StandInSentinel(primary).listen()));
  });
  afterEach(() => {
    redis?.disconnect();
    for (const sentinel of sentinels) sentinel.close();
  });

  it('is opened again even if the Sentinels announce a new primary during the reconnection', async () => {
    const admin = new Redis(primary.toString());
    const connection = connect();
    await until(() => connection.status === 'ready');
    await until(() => sentinels.every(({ subscribers }) => subscribers.size === 1));
    for (const sentinel of sentinels) sentinel.isDelaying = true;
    // The client reconnects and waits for the address of the primary.
    await admin.client('KILL', 'ID', await connection.client('ID'));
    admin.disconnect();
    await until(() => sentinels.some(({ delayedReplies }) => delayedReplies.length === 1));

    for (const sentinel of sentinels) sentinel.announceNewPrimary();
    // `SteadySentinelConnector` closes the subscriptions before it reconnects; ioredis would do so only now.
    await until(() => sentinels.every(({ subscribers }) => subscribers.size === 0));
    for (const sentinel of sentinels) sentinel.release();

    await until(() => connection.status === 'ready');
    expect(await connection.ping()).toBe('PONG');
  });

  it('asks the next Sentinel when the first one accepts the request and does not reply', async () => {
    sentinels[0]!.isDelaying = true;
    const connection = connect();
    await until(() => sentinels[0]?.delayedReplies.length === 1);
    await until(() => connection.status === 'ready');
  });
});
