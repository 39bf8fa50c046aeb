import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

const PUSHES = ['$7\r\nmessage\r\n', '$8\r\npmessage\r\n', '$8\r\nsmessage\r\n'];
const LONGEST = Math.max(...PUSHES.map(({ length }) => length));
/** Enough of what follows a push to see what channel it is on. */
const LOOK_AHEAD = 48;

/** Stands between one replica and Redis and counts the publications that the replica is sent. */
export class PublicationCounter {
  private received = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param redisUrl where Redis really is. @param isOwn channels that a replica speaks to itself on. */
  static async open(redisUrl: string, isOwn: RegExp): Promise<PublicationCounter> {
    const { hostname, port } = new URL(redisUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(redisUrl);
    url.port = String((server.address() as AddressInfo).port);
    const counter = new PublicationCounter(server, url.toString());
    server.on('connection', (client) => {
      const redis = connect({ host: hostname, port: Number(port) });
      const count = counting(isOwn, () => (counter.received += 1));
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
        socket.on('error', () => undefined); // its close says enough
        socket.on('close', () => {
          counter.sockets.delete(socket);
          other.destroy();
        });
      }
    });
    return counter;
  }

  /** Publications since the last call. */
  take(): number {
    const { received } = this;
    this.received = 0;
    return received;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Counts over pieces that may end in the middle of a push. */
const counting = (isOwn: RegExp, onPush: () => void): ((piece: string) => void) => {
  let rest = '';
  return (piece) => {
    const text = rest + piece;
    let position = 0;
    for (;;) {
      const starts = PUSHES.map((push) => text.indexOf(push, position)).filter((start) => start >= 0);
      if (starts.length === 0) break;
      const start = Math.min(...starts);
      if (text.length < start + LONGEST + LOOK_AHEAD) {
        rest = text.slice(start);
        return;
      }
      position = start + LONGEST;
      if (!isOwn.test(text.slice(start, position + LOOK_AHEAD))) onPush();
    }
    rest = text.slice(Math.max(position, text.length - LONGEST));
  };
};
