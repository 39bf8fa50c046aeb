import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { ensurePrivateFolder, readOrCreateSecret } from '../paths.mjs';
import { findRedis } from './redis-program.mjs';

const PING_TIMEOUT_MS = 1_000;

/**
 * Describes a private Redis (or Valkey) for a home folder, which contains the data, logs and secrets of a local stack.
 * Redis listens on loopback only, requires a generated password, evicts no keys (`noeviction`), and syncs its
 * append-only file to the disk once a second.
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
      const configurationFile = path.join(ensurePrivateFolder(home, 'run'), 'redis.conf');
      // `mode` applies only to a file that does not exist yet.
      fs.rmSync(configurationFile, { force: true });
      fs.writeFileSync(configurationFile, formatSettings({ port, data, password: readPassword() }), {
        mode: 0o600,
      });
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

/** Whether Redis replies PONG. A connection is no proof, because Redis refuses commands while it loads its data. */
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
      // The replies to AUTH and PING, each of which ends with a line break.
      const hasBothReplies = reply.split('\r\n').length > 2;
      if (hasBothReplies) settle(reply.startsWith('+OK\r\n+PONG'));
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
