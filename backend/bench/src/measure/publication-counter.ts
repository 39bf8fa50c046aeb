import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** How a publication begins in the Redis protocol, RESP: with a bulk string that names the kind of subscription. */
const BEGINNINGS = ['$7\r\nmessage\r\n', '$8\r\npmessage\r\n', '$8\r\nsmessage\r\n'];
const LONGEST_BEGINNING_BYTES = Math.max(...BEGINNINGS.map(({ length }) => length));
/** Bytes after a beginning that are searched for `ownChannel`; the name of the channel begins within them. */
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
    const url = new URL(redisUrl);
    const { hostname, port } = url;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url.port = String((server.address() as AddressInfo).port);
    const counter = new PublicationCounter(server, url.toString());
    server.on('connection', (client) => {
      const redis = connect({ host: hostname, port: Number(port) });
      const scan = createPublicationScanner(ownChannel, () => (counter.count += 1));
      redis.on('data', (chunk: Buffer) => {
        scan(chunk.toString('latin1'));
        client.write(chunk);
      });
      client.on('data', (chunk: Buffer) => redis.write(chunk));
      counter.addSocket(client, redis);
      counter.addSocket(redis, client);
    });
    return counter;
  }

  /** Keeps a socket until it closes, and then closes the other socket of the same connection. */
  private addSocket(socket: Socket, otherSocket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // followed by `close`
    socket.on('close', () => {
      this.sockets.delete(socket);
      otherSocket.destroy();
    });
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

/** @returns where the first publication at or after `position` begins; -1 if there is none */
const findPublication = (text: string, position: number): number => {
  const starts = BEGINNINGS.map((beginning) => text.indexOf(beginning, position)).filter(
    (start) => start !== -1,
  );
  return starts.length === 0 ? -1 : Math.min(...starts);
};

/**
 * Returns a function that takes the chunks of data from Redis, and calls `onPublication` for every publication whose
 * channel does not match `ownChannel`. A publication may span two chunks. A short one that ends a chunk is counted with
 * the next chunk.
 */
const createPublicationScanner = (
  ownChannel: RegExp,
  onPublication: () => void,
): ((chunk: string) => void) => {
  let rest = '';
  return (chunk) => {
    const text = rest + chunk;
    let position = 0;
    let start = findPublication(text, position);
    while (start !== -1) {
      const end = start + LONGEST_BEGINNING_BYTES + CHANNEL_BYTES;
      if (text.length < end) {
        // The name of the channel may be incomplete.
        rest = text.slice(start);
        return;
      }
      if (!ownChannel.test(text.slice(start, end))) onPublication();
      position = start + 1; // the next publication may begin before `end`
      start = findPublication(text, position);
    }
    // A beginning may be incomplete at the end of the text. The part before `position` has been counted.
    rest = text.slice(Math.max(position, text.length - LONGEST_BEGINNING_BYTES));
  };
};
