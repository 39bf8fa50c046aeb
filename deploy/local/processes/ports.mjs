import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

// Below the ports that the system gives to outgoing connections (on Linux from 32768). Otherwise one of them could take
// the port of a process while the process restarts.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 29_999;

/** Contains a file for each reserved port, which holds the pid of the process that may use the port. */
const reservationFolder = path.join(os.tmpdir(), 'thaw-ports');

/** Picks `count` different free ports, and reserves them for this process until it ends. */
export async function findFreePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    const isFree = !ports.has(port) && !(await findPortProblem(port));
    if (isFree && reservePort(port)) ports.add(port);
  }
  return [...ports];
}

/** Reserves a port for this process until it ends. @returns false if a running process has reserved the port already */
export function reservePort(port) {
  const file = path.join(reservationFolder, String(port));
  try {
    fs.mkdirSync(reservationFolder, { recursive: true });
    deleteAbandonedReservation(file);
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' }); // fails with EEXIST if the port is reserved
    return true;
  } catch (error) {
    // After any other error, the port is used without a reservation: the folder may belong to another user.
    return error.code !== 'EEXIST';
  }
}

function deleteAbandonedReservation(file) {
  if (!fs.existsSync(file)) return;
  const pid = Number(fs.readFileSync(file, 'utf8'));
  if (!isRunning(pid)) fs.rmSync(file);
}

const isRunning = (pid) => {
  try {
    // Signal 0 only checks whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return error.code === 'EPERM';
  }
};

/** Error codes for an address that the machine does not have, such as an IPv6 address. */
const MISSING_ADDRESS_CODES = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * Tries to listen on a port, on every address that a browser may resolve localhost to.
 * @returns the error code (EADDRINUSE, EACCES), or undefined when the port is free
 */
export async function findPortProblem(port) {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    const problem = await tryToListen(port, host);
    if (problem && !MISSING_ADDRESS_CODES.includes(problem)) return problem;
  }
  return undefined;
}

/** Whether this machine has the IPv6 loopback address. */
export async function hasIpv6Loopback() {
  const anyFreePort = 0;
  return !(await tryToListen(anyFreePort, '::1'));
}

/** @returns the error code, or undefined on success */
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
