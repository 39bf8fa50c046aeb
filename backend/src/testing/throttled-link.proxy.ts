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
      // An idle time must not be followed by a burst.
      dueAt = Math.max(dueAt, performance.now()) + (slice.length / bytesPerSecond) * 1_000;
      const waitMs = dueAt - performance.now();
      if (waitMs > 1) await delay(waitMs); // timers have a resolution of 1 ms
    }
  }
};

/** Starts a TCP relay in front of a server, which forwards the server's responses at `bitsPerSecond`. */
export const startThrottledLink = async (target: string, bitsPerSecond: number): Promise<ThrottledLink> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
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
