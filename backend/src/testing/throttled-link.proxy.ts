import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ThrottledLink {
  /** The origin of this link, to be used in place of the target's. */
  origin: string;
  close(): Promise<void>;
}

/** Bytes forwarded per write, few enough that the data flows evenly rather than in bursts. */
const WRITE_BYTES = 16 * 1024;
const BITS_PER_BYTE = 8;

const forwardSlowly = async (from: Socket, to: Socket, bytesPerSecond: number): Promise<void> => {
  let dueAt = performance.now();
  for await (const chunk of from as AsyncIterable<Buffer>) {
    for (let start = 0; start < chunk.length; start += WRITE_BYTES) {
      const slice = chunk.subarray(start, start + WRITE_BYTES);
      if (!to.writable) return;
      to.write(slice);
      // After an idle time, the schedule restarts, so that no burst follows.
      dueAt = Math.max(dueAt, performance.now()) + (slice.length / bytesPerSecond) * 1_000;
      const waitMs = dueAt - performance.now();
      if (waitMs > 1) await delay(waitMs); // timers have a resolution of 1 ms
    }
  }
};

/** Starts a TCP relay in front of a server, which forwards the server's responses at `bitsPerSecond`. */
export const startThrottledLink = async (
  targetOrigin: string,
  bitsPerSecond: number,
): Promise<ThrottledLink> => {
  const { hostname, port } = new URL(targetOrigin);
  const sockets = new Set<Socket>();
  /** Lists a socket until it closes. The other end of the link is then closed, too. */
  const track = (socket: Socket, otherEnd: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      sockets.delete(socket);
      otherEnd.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    track(client, upstream);
    track(upstream, client);
    client.pipe(upstream);
    forwardSlowly(upstream, client, bitsPerSecond / BITS_PER_BYTE).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
