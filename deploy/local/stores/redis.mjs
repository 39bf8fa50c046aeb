import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { privateFolder, secret } from '../places.mjs';
import { redisProgram } from './redis-program.mjs';

/**
 * A private Redis (or Valkey) for a home folder. It listens on loopback only, requires a generated password, evicts no
 * keys (`noeviction`) and syncs its append-only file once a second.
 * @param {string} home
 * @returns {import('./private-store.mjs').StoreKind & {url: (port: number) => string}}
 */
export function redisKind(home, say) {
  const password = () => secret(home, 'redis-password');
  return {
    name: 'Redis',
    endSteps: [
      { signal: 'SIGTERM', waitMs: 10_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ],
    killSignal: 'SIGKILL',
    url: (port) => `redis://default:${password()}@127.0.0.1:${port}`,
    define: async (port) => {
      const program = await redisProgram(say);
      const data = privateFolder(home, 'redis');
      const settingsFile = path.join(privateFolder(home, 'run'), 'redis.conf');
      fs.rmSync(settingsFile, { force: true });
      fs.writeFileSync(settingsFile, settings({ port, data, password: password() }), { mode: 0o600 });
      return {
        name: 'Redis',
        command: program.command,
        args: [settingsFile],
        env: { ...process.env, ...program.env },
        cwd: data,
        // The append-only file contains what users write.
        umask: 0o077,
        logFile: path.join(privateFolder(home, 'logs'), 'redis.log'),
        isReady: () => answersPing(port, password()),
      };
    },
  };
}

const settings = ({ port, data, password }) => `bind 127.0.0.1
port ${port}
requirepass ${password}
dir "${data}"
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
`;

/** Redis accepts connections but refuses commands while it loads its data, so only a PONG means ready. */
function answersPing(port, password) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let answer = '';
    const settle = (isPong) => {
      socket.destroy();
      resolve(isPong);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.on('data', (piece) => {
      answer += piece;
      if (answer.split('\r\n').length > 2) settle(answer.startsWith('+OK\r\n+PONG'));
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
