import { randomInt } from 'node:crypto';
import net from 'node:net';

// Below the range of ephemeral ports (Linux: 32768 and up), so that the port of a process is still free when it is
// restarted.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 29_999;

/** Picks `count` different ports that are free at this moment. */
export async function findFreePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (!ports.has(port) && !(await findPortProblem(port))) ports.add(port);
  }
  return [...ports];
}

/**
 * Tries to listen on a port, on every address that a browser may resolve localhost to.
 * @returns the error code (EADDRINUSE, EACCES), or undefined when the port is free
 */
export async function findPortProblem(port) {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    const problem = await tryToListen(port, host);
    if (problem && problem !== 'EADDRNOTAVAIL' && problem !== 'EAFNOSUPPORT') return problem;
  }
  return undefined;
}

/** Whether this machine has the IPv6 loopback address. */
export async function hasIpv6Loopback() {
  return !(await tryToListen(0, '::1'));
}

function tryToListen(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether a TCP server accepts a connection within `withinMs` milliseconds. */
export function acceptsConnections(host, port, withinMs) {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const settle = (isAccepted) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('connect', () => settle(true));
  });
}
