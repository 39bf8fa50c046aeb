import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/**
 * Finds a free port of 127.0.0.1, for a program that cannot choose one itself. Another process may take the port before
 * that program opens it.
 */
export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
