import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { ensurePrivateFolder, readOrCreateSecret } from '../paths.mjs';
import { findRedis } from './redis-program.mjs';

const PING_TIMEOUT_MS = 1_000;

/**
 * Describes a private Redis (or Valkey) for a home folder. The home folder contains the data, logs and secrets of a
 * local stack. Redis listens on loopback only, requires a generated password, evicts no keys, and syncs its append-only
 * file to the disk once a second.
 * @param {string} home
 * @param {(label: string, text: string) => void} logStep
 * @returns {import('./private-store.mjs').StoreKind & {buildUrl: (port: number) => string}}
 */
export function describeRedis(home, logStep) {
  const readPassword = () => readOrCreateSecret(home, 'redis-password');
  return {
    name: 'Redis',
    // For a graceful stop.
    endSteps: [
      { signal: 'SIGTERM', waitMs: 10_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ],
    // For an immediate end.
    killSignal: 'SIGKILL',
    buildUrl: (port) => `redis://default:${readPassword()}@127.0.0.1:${port}`,
    prepare: async (port) => {
      const program = await findRedis(logStep);
      const data = ensurePrivateFolder(home, 'redis');
      const configurationFile = writeConfiguration(home, { port, data, password: readPassword() });
      return {
        name: 'Redis',
        command: program.command,
        args: [configurationFile],
        env: { ...process.env, ...program.env },
        cwd: data,
        // The append-only file contains messages of users.
        umask: 0o077,
        logFile: path.join(ensurePrivateFolder(home, 'logs'), 'redis.log'),
        isReady: () => answersPing(port, readPassword()),
      };
    },
  };
}

/** Writes redis.conf, which only its owner may read, because it contains the password. @returns the path of the file */
function writeConfiguration(home, settings) {
  const file = path.join(ensurePrivateFolder(home, 'run'), 'redis.conf');
  // Deleted first: an existing file would keep its mode.
  fs.rmSync(file, { force: true });
  fs.writeFileSync(file, formatSettings(settings), { mode: 0o600 });
  return file;
}

const formatSettings = ({ port, data, password }) => `bind 127.0.0.1
port ${port}
requirepass ${password}
dir "${data}"
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
`;

/** Whether Redis replies PONG. A connection alone proves nothing: Redis refuses commands while it loads its data. */
function answersPing(port, password) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let reply = '';
    const settle = (isPong) => {
      socket.destroy();
      resolve(isPong);
    };
    socket.setTimeout(PING_TIMEOUT_MS, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.on('data', (chunk) => {
      reply += chunk;
      // Each reply is a line. The last element is dropped, because its line has not ended yet.
      const [authReply, pingReply] = reply.split('\r\n').slice(0, -1);
      if (pingReply !== undefined) settle(authReply === '+OK' && pingReply === '+PONG');
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
