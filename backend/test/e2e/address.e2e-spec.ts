// Runs two api processes behind nginx with the limits profile `default`, a worker, and their own PostgreSQL and Redis.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import type { SelfUser } from '@thaw/contract/users';
import { Redis } from 'ioredis';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import { rateLimitKey } from '../../src/platform/redis/redis.keys';
import { type ThawSocket, ThawVisitor } from '../../src/testing/thaw.client';
import { untilWithin } from '../../src/testing/until.functions';

/** In the limits profile `default`. */
const MAX_SOCKETS_PER_ADDRESS = 200;
const SIGN_UP_CONCURRENCY = 20;

jest.setTimeout(120_000);

let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  // Empty addresses make the stack start its own PostgreSQL and Redis.
  const env = { DATABASE_URL: '', REDIS_URL: '', LIMITS_PROFILE: 'default', LOG_LEVEL: 'warn' };
  stack = await startStack({ replicas: 2, env });
  redis = new Redis(stack.stores.redisUrl);
}, 120_000);

afterAll(async () => {
  redis?.disconnect();
  await stack?.stop();
}, 60_000);

/**
 * Creates a visitor with a random address, because the sign-ups of one address are limited. Signs up at a replica
 * directly, because nginx would replace the address.
 */
const createVisitor = async (): Promise<ThawVisitor> => {
  const visitor = new ThawVisitor([`http://127.0.0.1:${stack.replicas[0]!.port}`]);
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const { body } = await visitor.call('POST', '/api/anonymous', {}, { 'x-forwarded-for': address });
  visitor.user = body.user as SelfUser;
  return visitor;
};

const createVisitors = async (count: number): Promise<ThawVisitor[]> => {
  const visitors: ThawVisitor[] = [];
  while (visitors.length < count) {
    const length = Math.min(SIGN_UP_CONCURRENCY, count - visitors.length);
    visitors.push(...(await Promise.all(Array.from({ length }, createVisitor))));
  }
  return visitors;
};

/**
 * Opens and authenticates a socket, with the page's delays before each attempt.
 * @returns the number of attempts; Infinity if all have failed.
 */
const reconnect = async (visitor: ThawVisitor): Promise<number> => {
  for (let attempt = 1; attempt <= limits.reconnectAttempts; attempt += 1) {
    await delay(reconnectDelayMs(attempt));
    const socket = await visitor.openSocket(stack.url).catch(() => undefined);
    if (socket) return attempt;
  }
  return Infinity;
};

interface Reconnections {
  /** Number of sockets that have closed. */
  lostCount: number;
  /** For each lost socket that is replaced or given up: the result of `reconnect`. */
  attempts: number[];
}

/** Lets each visitor reconnect when their socket closes. @returns an object that is updated as they do. */
const reconnectLostSockets = (
  visitors: readonly ThawVisitor[],
  sockets: readonly ThawSocket[],
): Reconnections => {
  const reconnections: Reconnections = { lostCount: 0, attempts: [] };
  for (const [index, socket] of sockets.entries()) {
    void socket.closed.then(async () => {
      reconnections.lostCount += 1;
      reconnections.attempts.push(await reconnect(visitors[index]!));
    });
  }
  return reconnections;
};

it('lets 200 users with one address reconnect after a replica is killed, and refuses the 201st', async () => {
  const [refusedVisitor, ...connectedVisitors] = await createVisitors(MAX_SOCKETS_PER_ADDRESS + 1);
  const sockets: ThawSocket[] = await Promise.all(
    connectedVisitors.map((visitor) => visitor.openSocket(stack.url)),
  );
  await expect(refusedVisitor!.openSocket(stack.url)).rejects.toThrow('429');

  // Without its key, the token bucket of handshakes is full again, so the test need not wait for the refill.
  await redis.del(rateLimitKey('socket_handshakes', '127.0.0.1'));
  const reconnections = reconnectLostSockets(connectedVisitors, sockets);
  stack.replicas[0]!.kill('SIGKILL');
  await untilWithin(60_000, () => {
    const { lostCount, attempts } = reconnections;
    // The killed replica has about half of the sockets. The share varies, so only a quarter is required.
    const isReplicaLost = lostCount > MAX_SOCKETS_PER_ADDRESS / 4;
    // All sockets of the replica close before the first user reconnects, so no further socket can be lost later.
    return isReplicaLost && attempts.length === lostCount;
  });
  expect(Math.max(...reconnections.attempts)).toBeLessThanOrEqual(limits.reconnectAttempts);
  await expect(refusedVisitor!.openSocket(stack.url)).rejects.toThrow('429');
  await Promise.all(connectedVisitors.map((visitor) => visitor.closeSockets()));
});
