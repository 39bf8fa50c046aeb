import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** How a publication begins in the Redis protocol (RESP): the name of the push and its length. */
const PUSHES = ['$7\r\nmessage\r\n', '$8\r\npmessage\r\n', '$8\r\nsmessage\r\n'];
const LONGEST_PUSH_BYTES = Math.max(...PUSHES.map(({ length }) => length));
/** Bytes after the start of a push in which its channel is looked for. */
const CHANNEL_BYTES = 48;

/** A proxy between one replica and Redis, which counts the publications that the replica receives. */
export class PublicationCounter {
  private received = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
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
      const count = createPushCounter(ownChannel, () => (counter.received += 1));
      redis.on('data', (piece: Buffer) => {
        count(piece.toString('latin1'));
        client.write(piece);
      });
      client.on('data', (piece: Buffer) => redis.write(piece));
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

  /** @returns the publications since the last call. */
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

/** Counts pushes in chunks, which may end in the middle of one. */
const createPushCounter = (ownChannel: RegExp, onPush: () => void): ((piece: string) => void) => {
  let rest = '';
  return (piece) => {
    const text = rest + piece;
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
    rest = text.slice(Math.max(position, text.length - LONGEST_PUSH_BYTES));
  };
};
