import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttableLink {
  /** The target's URL, routed through this link. */
  url: string;
  /** Drops every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps connections open but passes no data: a network partition. */
  freeze(): void;
  /** Like `freeze`, but passes what the client sends: the store executes commands and the client does not learn of it. */
  freezeAnswers(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP relay in front of a store, to simulate outages of the store. */
export const startCuttableLink = async (target: string): Promise<CuttableLink> => {
  const address = new URL(target);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let areAnswersFrozen = false;

  const server = createServer((client) => {
    const store = connect(Number(address.port), address.hostname);
    for (const [from, to] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!isFrozen && !(areAnswersFrozen && from === store)) to.write(bytes);
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
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.toString(),
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
