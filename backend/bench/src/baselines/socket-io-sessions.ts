import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Server } from 'socket.io';
import { leanSocketIoOptions } from './socket-io-options';

// Baseline of the benchmark P13, the cost of opening a socket (opening.figure.ts). The handshake checks the signature
// of Thaw's session cookie, looks the session up in Thaw's PostgreSQL with one prepared statement, and joins a room for
// the user.

// `prepareProductEnvironment` sets these variables.
const {
  REDIS_URL: redisUrl = '',
  DATABASE_URL: databaseUrl = '',
  SESSION_SECRET_FILE: secretFile = '',
} = process.env;
// The file may contain several secrets, of which the first one signs the cookies.
const [secret = ''] = readFileSync(secretFile, 'utf8').trim().split(',');
/** The default of DATABASE_POOL_SIZE in Thaw. */
const POOL_SIZE = 10;
const pool = new Pool({ connectionString: databaseUrl, max: POOL_SIZE });
const server = createServer();
const io = new Server(server, {
  ...leanSocketIoOptions,
  adapter: createAdapter(new Redis(redisUrl), new Redis(redisUrl)),
});

/**
 * Reads the session id from Thaw's signed cookie.
 * @param header the Cookie header
 * @returns null without a cookie, or with a wrong signature
 */
const readSessionId = (header = ''): string | null => {
  // The value is `s:<session id>.<signature>`, URL-encoded.
  const encodedValue = /(?:^|;\s*)thaw\.sid=([^;]+)/.exec(header)?.[1];
  const value = encodedValue && decodeURIComponent(encodedValue);
  if (!value?.startsWith('s:')) return null;
  const dotIndex = value.lastIndexOf('.');
  const sessionId = value.slice(2, dotIndex);
  const signature = Buffer.from(value.slice(dotIndex + 1));
  const validSignature = createHmac('sha256', secret).update(sessionId).digest('base64').replace(/=+$/, '');
  const isValid =
    signature.length === validSignature.length && timingSafeEqual(signature, Buffer.from(validSignature));
  return isValid ? sessionId : null;
};

const findUserId = async (header: string | undefined): Promise<string | undefined> => {
  const sessionId = readSessionId(header);
  if (sessionId === null) return undefined;
  const { rows } = await pool.query<{ user_id: string }>({
    name: 'session',
    // `family_id` is not used here, but Thaw reads it, too.
    text: 'SELECT user_id, family_id FROM sessions WHERE id_hash = $1 AND expires_at > now()',
    values: [createHash('sha256').update(sessionId).digest()],
  });
  return rows[0]?.user_id;
};

io.use((socket, next) => {
  findUserId(socket.handshake.headers.cookie).then(
    (userId) => {
      if (userId === undefined) return next(new Error('not signed in'));
      void socket.join(`user:${userId}`);
      next();
    },
    (error: Error) => next(error),
  );
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
