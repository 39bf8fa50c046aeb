import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * The beginnings of a publication (a push) in the Redis protocol, RESP. Its first element is a bulk string that names
 * the kind of subscription.
 */
const PUSHES = ['$7\r\nmessage\r\n', '$8\r\npmessage\r\n', '$8\r\nsmessage\r\n'];
const LONGEST_PUSH_BYTES = Math.max(...PUSHES.map(({ length }) => length));
/** Number of bytes after this beginning in which the name of the channel is searched. */
const CHANNEL_BYTES = 48;

/** A TCP proxy between one replica and Redis, which counts the publications that the replica receives. */
export class PublicationCounter {
  private count = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The address that the replica uses in place of that of Redis. */
    readonly url: string,
  ) {}

  /**
   * @param ownChannel matches the channels on which a replica publishes to itself; these publications are not counted
   */
  static async open(redisUrl: string, ownChannel: RegExp): Promise<PublicationCounter> {
    const { hostname, port } = new URL(redisUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(redisUrl);
    url.port = String((server.address() as AddressInfo).port);
    const counter = new PublicationCounter(server, url.toString());
    server.on('connection', (client) => {
      const redis = connect({ host: hostname, port: Number(port) });
      const scan = createPushScanner(ownChannel, () => (counter.count += 1));
      redis.on('data', (chunk: Buffer) => {
        scan(chunk.toString('latin1'));
        client.write(chunk);
      });
      client.on('data', (chunk: Buffer) => redis.write(chunk));
      for (const [socket, other] of [
        [client, redis],
        [redis, client],
      ] as const) {
        counter.sockets.add(socket);
        socket.on('error', () => undefined); // followed by `close`
        socket.on('close', () => {
          counter.sockets.delete(socket);
          other.destroy();
        });
      }
    });
    return counter;
  }

  /** @returns the number of publications since the last call */
  takeCount(): number {
    const { count } = this;
    this.count = 0;
    return count;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/**
 * Returns a function that takes the chunks of data from Redis, and calls `onPush` for every push whose channel does not
 * match `ownChannel`. A push may span two chunks; a push at the very end of a chunk is reported with the next chunk.
 */
const createPushScanner = (ownChannel: RegExp, onPush: () => void): ((chunk: string) => void) => {
  let rest = '';
  return (chunk) => {
    const text = rest + chunk;
    let position = 0;
    for (;;) {
      const starts = PUSHES.map((push) => text.indexOf(push, position)).filter((start) => start >= 0);
      if (starts.length === 0) break;
      const start = Math.min(...starts);
      if (text.length < start + LONGEST_PUSH_BYTES + CHANNEL_BYTES) {
        // The name of the channel may be incomplete.
        rest = text.slice(start);
        return;
      }
      position = start + LONGEST_PUSH_BYTES;
      if (!ownChannel.test(text.slice(start, position + CHANNEL_BYTES))) onPush();
    }
    // Keep the text that may be the beginning of a push, but no push that has been counted.
    rest = text.slice(Math.max(position, text.length - LONGEST_PUSH_BYTES));
  };
};
