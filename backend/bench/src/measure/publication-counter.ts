import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** How a publication (a push) begins in the Redis protocol (RESP): the bulk string that names its kind. */
const PUSHES = ['$7\r\nmessage\r\n', '$8\r\npmessage\r\n', '$8\r\nsmessage\r\n'];
const LONGEST_PUSH_BYTES = Math.max(...PUSHES.map(({ length }) => length));
/** Bytes after a push's name in which its channel is looked for. */
const CHANNEL_BYTES = 48;

/** A proxy between one replica and Redis, which counts the publications that the replica receives. */
export class PublicationCounter {
  private received = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The address that the replica uses in place of that of Redis. */
    readonly url: string,
  ) {}

  /** @param ownChannel matches the channels on which a replica publishes to itself; these are not counted. */
  static async open(redisUrl: string, ownChannel: RegExp): Promise<PublicationCounter> {
    const { hostname, port } = new URL(redisUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(redisUrl);
    url.port = String((server.address() as AddressInfo).port);
    const counter = new PublicationCounter(server, url.toString());
    server.on('connection', (client) => {
      const redis = connect({ host: hostname, port: Number(port) });
      const scan = createPushScanner(ownChannel, () => (counter.received += 1));
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

  /** @returns the number of publications since the last call. */
  takeCount(): number {
    const { received } = this;
    this.received = 0;
    return received;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/**
 * Calls `onPush` for every push on a foreign channel. A push may span two chunks of data; a push at the very end of a
 * chunk is reported with the next chunk.
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
        rest = text.slice(start);
        return;
      }
      position = start + LONGEST_PUSH_BYTES;
      if (!ownChannel.test(text.slice(start, position + CHANNEL_BYTES))) onPush();
    }
    // Keep what may be the beginning of a push, but nothing that has been counted.
    rest = text.slice(Math.max(position, text.length - LONGEST_PUSH_BYTES));
  };
};
