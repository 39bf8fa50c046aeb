// Runs two api processes behind nginx with the limits of `default`, a worker, and their own PostgreSQL and Redis.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import type { SelfUser } from '@thaw/contract/users';
import { Redis } from 'ioredis';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import { rateLimitKey } from '../../src/platform/redis/redis.keys';
import { type ThawSocket, ThawVisitor } from '../../src/testing/thaw.client';
import { untilWithin } from '../../src/testing/until.functions';

/** The number of sockets that one address may hold in the profile `default`. */
const USERS = 200;

jest.setTimeout(120_000);

let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  const env = { DATABASE_URL: '', REDIS_URL: '', LIMITS_PROFILE: 'default', LOG_LEVEL: 'warn' };
  stack = await startStack({ replicas: 2, env });
  redis = new Redis(stack.stores.redisUrl);
}, 120_000);

afterAll(async () => {
  redis?.disconnect();
  await stack?.stop();
}, 60_000);

/** A visitor whose account was created past nginx from a random address, because sign-ups per address are limited. */
const createVisitor = async (): Promise<ThawVisitor> => {
  const visitor = new ThawVisitor([`http://127.0.0.1:${stack.replicas[0]!.port}`, stack.url]);
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const { body } = await visitor.call('POST', '/api/anonymous', {}, { 'x-forwarded-for': address });
  visitor.user = body.user as SelfUser;
  return visitor;
};

/** Opens and authenticates a socket with the back-off of the page. @returns the number of attempts. */
const reconnect = async (visitor: ThawVisitor): Promise<number> => {
  for (let attempt = 1; attempt <= limits.reconnectAttempts; attempt += 1) {
    await delay(reconnectDelayMs(attempt));
    const socket = await visitor.openSocket(stack.url).catch(() => undefined);
    if (socket) return attempt;
  }
  return Infinity;
};

it('lets 200 users behind one address reconnect after a replica is killed, and refuses the 201st', async () => {
  const visitors: ThawVisitor[] = [];
  while (visitors.length <= USERS)
    visitors.push(...(await Promise.all(Array.from({ length: 20 }, createVisitor))));
  const [refused, ...connected] = visitors.slice(0, USERS + 1);
  const sockets: ThawSocket[] = await Promise.all(connected.map((visitor) => visitor.openSocket(stack.url)));
  await expect(refused!.openSocket(stack.url)).rejects.toThrow('429');

  // The state after a minute without new sockets.
  await redis.del(rateLimitKey('socket_handshakes', '127.0.0.1'));
  let lost = 0;
  const attempts: number[] = [];
  for (const [index, socket] of sockets.entries()) {
    void socket.closed.then(async () => {
      lost += 1;
      attempts.push(await reconnect(connected[index]!));
    });
  }
  stack.replicas[0]!.kill('SIGKILL');
  // They disconnect at once, and the first attempt follows a second later.
  await untilWithin(60_000, () => lost > USERS / 4 && attempts.length === lost);
  expect(Math.max(...attempts)).toBeLessThanOrEqual(limits.reconnectAttempts);
  await expect(refused!.openSocket(stack.url)).rejects.toThrow('429');
  await Promise.all(connected.map((visitor) => visitor.closeSockets()));
});
