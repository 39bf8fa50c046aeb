import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { parseRedisAddress, type RedisAddress } from '../config/redis-address.parser';

export interface CuttableLink {
  /** The target's URL, routed through this link. */
  url: string;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps connections open but discards all data, as in a network partition. */
  freeze(): void;
  /** Discards only the answers: the store executes commands, but the client does not learn of it. */
  freezeAnswers(): void;
  /** Accepts connections and passes data again. Connections that were frozen are closed. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** The link to one server. */
interface Relay extends Omit<CuttableLink, 'url'> {
  /** The port of this machine on which the relay listens. */
  port: number;
}

/** Starts a TCP relay in front of a store, or of each node of a Redis cluster, to simulate outages of the store. */
export const startCuttableLink = async (target: string): Promise<CuttableLink> => {
  const cluster = parseRedisAddress(target);
  if (cluster?.kind === 'cluster') return startClusterLink(target, cluster);
  const address = new URL(target);
  const relay = await startRelay(Number(address.port), address.hostname);
  address.hostname = '127.0.0.1';
  address.port = String(relay.port);
  return { ...relay, url: address.toString() };
};

/**
 * Starts a relay for each node of a cluster that runs on this machine. Clients learn the nodes of a cluster from its
 * answers, so the relays replace the ports in them with their own.
 */
const startClusterLink = async (
  target: string,
  { nodes, password }: Extract<RedisAddress, { kind: 'cluster' }>,
): Promise<CuttableLink> => {
  const [seed] = nodes;
  const redis = new Redis({ ...seed, ...(password === undefined ? {} : { password }) });
  const lines = (await redis.call('CLUSTER', 'NODES')) as string;
  redis.disconnect();
  // A line begins with `<node id> <IP address>:<port>@<port of the cluster bus>`.
  const ports = [...lines.matchAll(/^\S+ [\d.]+:(\d+)@/gm)].map(([, port]) => Number(port));
  const relays = new Map<number, Relay>();
  /** Assumes that no port is split between two chunks of an answer. */
  const replacePorts = (bytes: Buffer): Buffer => {
    let text = bytes.toString('latin1'); // keeps every byte
    for (const [port, relay] of relays)
      text = text
        .replaceAll(`\r\n:${port}\r\n`, `\r\n:${relay.port}\r\n`) // CLUSTER SLOTS
        .replaceAll(` 127.0.0.1:${port}\r\n`, ` 127.0.0.1:${relay.port}\r\n`); // MOVED, ASK
    return Buffer.from(text, 'latin1');
  };
  for (const port of ports) relays.set(port, await startRelay(port, '127.0.0.1', replacePorts));
  const allRelays = [...relays.values()];
  const forEachRelay = async (work: (relay: Relay) => Promise<void>) => {
    await Promise.all(allRelays.map(work));
  };
  return {
    // The addresses of the nodes are at the end of the URL.
    url: target.replace(/[^@/]+$/, allRelays.map(({ port }) => `127.0.0.1:${port}`).join(',')),
    cut: () => forEachRelay((relay) => relay.cut()),
    freeze: () => allRelays.forEach((relay) => relay.freeze()),
    freezeAnswers: () => allRelays.forEach((relay) => relay.freezeAnswers()),
    restore: () => forEachRelay((relay) => relay.restore()),
    close: () => forEachRelay((relay) => relay.close()),
  };
};

const startRelay = async (
  storePort: number,
  storeHost: string,
  rewriteAnswer: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<Relay> => {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let areAnswersFrozen = false;

  /** Closes `other` when this socket closes, and ignores errors, after which a socket closes anyway. */
  const addSocket = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((client) => {
    const store = connect(storePort, storeHost);
    addSocket(client, store);
    addSocket(store, client);
    client.on('data', (command) => {
      if (!isFrozen) store.write(command);
    });
    store.on('data', (answer) => {
      if (!isFrozen && !areAnswersFrozen) client.write(rewriteAnswer(answer));
    });
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
    freeze() {
      isFrozen = true;
    },
    freezeAnswers() {
      areAnswersFrozen = true;
    },
    async restore() {
      // Bytes of these connections were discarded, so the connections cannot be used any longer.
      if (isFrozen || areAnswersFrozen) for (const socket of sockets) socket.destroy();
      isFrozen = false;
      areAnswersFrozen = false;
      if (!server.listening) await listen(port);
    },
    close: cut,
  };
};
