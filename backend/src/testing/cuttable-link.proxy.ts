import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { parseRedisAddress } from '../config/redis-address.parser';

export interface CuttableLink {
  /** The target's URL, routed through this link. */
  url: string;
  /** Drops every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps connections open but passes no data: a network partition. */
  freeze(): void;
  /**
   * Like `freeze`, but passes what the client sends: the store executes commands and the client does not learn of it.
   */
  freezeAnswers(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP relay in front of a store, to simulate outages of the store. Of a cluster, in front of each node. */
export const startCuttableLink = async (target: string): Promise<CuttableLink> => {
  const cluster = parseRedisAddress(target);
  if (cluster?.kind === 'cluster') return startClusterLink(target, cluster);
  const address = new URL(target);
  const relay = await startRelay(Number(address.port), address.hostname);
  address.hostname = '127.0.0.1';
  address.port = String(relay.port);
  return { ...relay, url: address.toString() };
};

/** Clients learn the nodes of a cluster from its replies, so the ports in these are replaced by those of the relays. */
const startClusterLink = async (
  target: string,
  { nodes, password }: { nodes: readonly { host: string; port: number }[]; password?: string },
): Promise<CuttableLink> => {
  const [seed] = nodes;
  const redis = new Redis({ ...seed, ...(password === undefined ? {} : { password }) });
  const lines = (await redis.call('CLUSTER', 'NODES')) as string;
  redis.disconnect();
  const ports = [...lines.matchAll(/^\S+ [\d.]+:(\d+)@/gm)].map(([, port]) => Number(port));
  const relays = new Map<number, Awaited<ReturnType<typeof startRelay>>>();
  const rewrite = (bytes: Buffer): Buffer => {
    let text = bytes.toString('latin1');
    for (const [port, relay] of relays)
      text = text
        .replaceAll(`\r\n:${port}\r\n`, `\r\n:${relay.port}\r\n`) // CLUSTER SLOTS
        .replaceAll(` 127.0.0.1:${port}\r\n`, ` 127.0.0.1:${relay.port}\r\n`); // MOVED, ASK
    return Buffer.from(text, 'latin1');
  };
  for (const port of ports) relays.set(port, await startRelay(port, '127.0.0.1', rewrite));
  const all = [...relays.values()];
  const each = async (work: (relay: (typeof all)[number]) => Promise<void>) => {
    await Promise.all(all.map(work));
  };
  return {
    url: target.replace(/[^@/]+$/, all.map(({ port }) => `127.0.0.1:${port}`).join(',')),
    cut: () => each((relay) => relay.cut()),
    freeze: () => all.forEach((relay) => relay.freeze()),
    freezeAnswers: () => all.forEach((relay) => relay.freezeAnswers()),
    restore: () => each((relay) => relay.restore()),
    close: () => each((relay) => relay.close()),
  };
};

const startRelay = async (
  storePort: number,
  storeHost: string,
  rewriteAnswers: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<Omit<CuttableLink, 'url'> & { port: number }> => {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let areAnswersFrozen = false;

  const server = createServer((client) => {
    const store = connect(storePort, storeHost);
    for (const [from, to] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (isFrozen || (areAnswersFrozen && from === store)) return;
        to.write(from === store ? rewriteAnswers(bytes) : bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  const cut = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return {
    port,
    cut,
    freeze: () => void (isFrozen = true),
    freezeAnswers: () => void (areAnswersFrozen = true),
    async restore() {
      // Frozen connections have dropped bytes, so they cannot continue.
      if (isFrozen || areAnswersFrozen) for (const socket of sockets) socket.destroy();
      isFrozen = false;
      areAnswersFrozen = false;
      if (!server.listening) await listen(port);
    },
    close: cut,
  };
};
