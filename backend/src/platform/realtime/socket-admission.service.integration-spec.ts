// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import type { SelfUser } from '@thaw/contract/users';
import type { Redis } from 'ioredis';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { REDIS } from '../redis/redis.module';
import { rateLimitKey, socketsOfAddressKey } from '../redis/redis.keys';
import { realtimeLimits, socketsPerAddress } from './realtime.limits';
import { SocketAdmissionService } from './socket-admission.service';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort } from './socket-identity.port';

jest.setTimeout(120_000);

const isOpen = (outcome: PromiseSettledResult<ThawSocket>): outcome is PromiseFulfilledResult<ThawSocket> =>
  outcome.status === 'fulfilled';
const listRefusals = (outcomes: readonly PromiseSettledResult<ThawSocket>[]): string[] =>
  outcomes.flatMap((outcome) => (isOpen(outcome) ? [] : [(outcome.reason as Error).message]));
const createRandomAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** Signs up visitors, each from a separate address, because the sign-ups of one address are limited. */
const signUpVisitors = async (stack: TestStack, count: number): Promise<ThawVisitor[]> => {
  const visitors: ThawVisitor[] = [];
  while (visitors.length < count) {
    const batch = Array.from({ length: Math.min(20, count - visitors.length) }, async () => {
      const visitor = new ThawVisitor(stack.origins);
      const { body } = await visitor.call(
        'POST',
        '/api/anonymous',
        {},
        { 'x-forwarded-for': createRandomAddress() },
      );
      visitor.user = body.user as SelfUser;
      return visitor;
    });
    visitors.push(...(await Promise.all(batch)));
  }
  return visitors;
};

/** Requests upgrades without a login until one is refused, and returns this refusal. */
const requestRefusedUpgrade = async (origin: string, address: string) => {
  // The bucket of handshakes gets a token every 200 ms, so a slow test may find one for its first request.
  for (;;) {
    const refusal = await requestUpgrade(origin, address);
    if (refusal) return refusal;
  }
};

/** Requests one upgrade without a login. Returns the refusal; undefined if accepted, and then closes the socket. */
const requestUpgrade = async (origin: string, address: string) => {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'x-forwarded-for': address,
  };
  const sentRequest = request(`${origin}/ws`, { headers }).end();
  const acceptance = once(sentRequest, 'upgrade').then(([, socket]) => void (socket as Socket).destroy());
  const refusal = once(sentRequest, 'response').then(([response]) => response as IncomingMessage);
  const response = await Promise.race([acceptance, refusal]);
  if (!response) return undefined;
  const body = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body };
};

/** Number of visitors beyond the maximum number of sockets of one address. */
const EXTRA_VISITOR_COUNT = 30;

describe('the sockets of one address', () => {
  const maxSockets = socketsPerAddress.default;
  let stack: TestStack;
  let visitors: ThawVisitor[];

  beforeAll(async () => {
    // With one trusted proxy, a client's address is taken from the header X-Forwarded-For.
    stack = await startTestStack(2, { LIMITS_PROFILE: 'default', TRUST_PROXY: '1' });
    visitors = await signUpVisitors(stack, maxSockets + EXTRA_VISITOR_COUNT);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(visitors.map((visitor) => visitor.closeSockets()));
  });
  afterAll(() => stack.close());

  /** Opens a socket from the address, on the replicas in turn. */
  const openFrom = (visitor: ThawVisitor, index: number, address: string) =>
    visitor.openUnauthenticatedSocket(stack.origins[index % 2], { 'x-forwarded-for': address });
  /** @returns whether the socket was opened. */
  const tryToOpenFrom = (visitor: ThawVisitor, index: number, address: string): Promise<boolean> =>
    openFrom(visitor, index, address).then(
      () => true,
      () => false,
    );
  const countSockets = (address: string) => stack.store.redis.scard(socketsOfAddressKey(address));
  /** Refills the bucket of handshakes, as a minute without handshakes does. */
  const refillHandshakes = (address: string) =>
    stack.store.redis.del(rateLimitKey('socket_handshakes', address));

  it('are limited exactly over all replicas, and a closed socket makes room for another', async () => {
    const address = createRandomAddress();
    const outcomes = await Promise.allSettled(
      visitors.map((visitor, index) => openFrom(visitor, index, address)),
    );
    expect(outcomes.filter(isOpen)).toHaveLength(maxSockets);
    expect(listRefusals(outcomes)).toEqual(Array(EXTRA_VISITOR_COUNT).fill('Upgrade answered 429'));
    expect(await countSockets(address)).toBe(maxSockets);
    // Another address is not affected. With at most four sockets, the visitor is within the limit of five per user.
    const visitor = visitors.at(-1)!;
    await openFrom(visitor, 0, createRandomAddress());

    // Without a close frame, as when the connection breaks.
    await outcomes.find(isOpen)!.value.terminate();
    await until(async () => (await countSockets(address)) === maxSockets - 1);
    await openFrom(visitor, 1, address);
    await expect(openFrom(visitor, 0, address)).rejects.toThrow('429');
  });

  it('can all reconnect with the specified back-off after a simultaneous disconnection', async () => {
    const address = createRandomAddress();
    const connectedVisitors = visitors.slice(0, maxSockets);
    await Promise.all(connectedVisitors.map((visitor, index) => openFrom(visitor, index, address)));
    await refillHandshakes(address);
    const reconnect = async (visitor: ThawVisitor, index: number): Promise<number> => {
      for (let attempt = 1; attempt <= limits.reconnectAttempts; attempt += 1) {
        await delay(reconnectDelayMs(attempt));
        if (await tryToOpenFrom(visitor, index, address)) return attempt;
      }
      return Infinity;
    };
    await Promise.all(connectedVisitors.map((visitor) => visitor.closeSockets()));
    const attempts = await Promise.all(connectedVisitors.map(reconnect));
    expect(Math.max(...attempts)).toBeLessThanOrEqual(limits.reconnectAttempts);
    expect(await countSockets(address)).toBe(maxSockets);
  });

  it('do not count if their replica is dead, which means that it has no lease', async () => {
    const address = createRandomAddress();
    // Members of the set: `<replica id>|<socket>`. There is no replica with this id, and so no lease.
    const socketsOfDeadReplica = Array.from(
      { length: maxSockets },
      (_, index) => `api-9.dead|socket-${index}`,
    );
    await stack.store.redis.sadd(socketsOfAddressKey(address), ...socketsOfDeadReplica);
    // After their start, replicas wait for some seconds before they consider one without a lease dead.
    await until(() => tryToOpenFrom(visitors[0]!, 0, address));
    expect(await countSockets(address)).toBe(1);
  });

  it('are counted per /64 network for IPv6', async () => {
    const network = `2001:db8:${randomInt(1, 0xffff).toString(16)}:1`;
    const outcomes = await Promise.allSettled(
      visitors.map((visitor, index) => openFrom(visitor, index, `${network}::${(index + 1).toString(16)}`)),
    );
    expect(outcomes.filter(isOpen)).toHaveLength(maxSockets);
  });

  it('are opened at most 300 times at once plus 5 times per second; a refusal has a Retry-After header', async () => {
    const address = createRandomAddress();
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 400 }, (_, index) => {
        // Without a login, the server closes each socket immediately, so that only handshakes are limited.
        const headers = { 'x-forwarded-for': address };
        return ThawSocket.open(`${stack.origins[index % 2]!.replace('http', 'ws')}/ws`, headers, 0);
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const openedCount = outcomes.filter(isOpen).length;
    expect(openedCount).toBeLessThanOrEqual(300 + 5 * seconds);
    // A socket counts until it has closed, so only as many as may be open at once are certain to be admitted.
    expect(openedCount).toBeGreaterThanOrEqual(maxSockets);
    const refusal = await requestRefusedUpgrade(stack.origins[0]!, address);
    expect(refusal.status).toBe(429);
    expect(Number(refusal.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(refusal.body)).toMatchObject({ statusCode: 429, code: 'rate_limited' });
  });

  it('are removed from Redis when they close', async () => {
    const address = createRandomAddress();
    await Promise.all(visitors.slice(0, 20).map((visitor, index) => openFrom(visitor, index, address)));
    expect(await countSockets(address)).toBe(20);
    await Promise.all(visitors.map((visitor) => visitor.closeSockets()));
    await until(async () => (await countSockets(address)) === 0);
  });

  it('are limited by each replica separately while Redis does not respond', async () => {
    const address = createRandomAddress();
    const admission = stack.replicas[0]!.app.get(SocketAdmissionService);
    const sendCommand = jest.spyOn(stack.replicas[0]!.app.get<Redis>(REDIS), 'sendCommand');
    sendCommand.mockImplementation(() => Promise.reject(new Error('Connection is closed.')));
    const admissions = await Promise.all(Array.from({ length: maxSockets }, () => admission.admit(address)));
    expect(admissions.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(maxSockets);
    expect(await admission.admit(address)).toMatchObject({ isAdmitted: false });
    sendCommand.mockRestore();
    // The next renewal of the lease records the sockets, so that the other replica counts them, too.
    await until(async () => (await countSockets(address)) === maxSockets);
    expect(await stack.replicas[1]!.app.get(SocketAdmissionService).admit(address)).toMatchObject({
      isAdmitted: false,
    });
    for (const result of admissions) if (result.isAdmitted) result.release();
    expect(await admission.admit(address)).toMatchObject({ isAdmitted: true });
  });

  it('are refused with 503, and do not count, when the login cannot be looked up in time', async () => {
    // The type of `realtimeLimits` (`as const`) allows no other value.
    const writableLimits: Record<string, number> = realtimeLimits;
    jest.replaceProperty(writableLimits, 'handshakeTimeoutMs', 50);
    const identities = stack.replicas[0]!.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    jest.spyOn(identities, 'identify').mockReturnValueOnce(new Promise(() => undefined));
    const address = createRandomAddress();
    await expect(openFrom(visitors[0]!, 0, address)).rejects.toThrow('503');
    await until(async () => (await countSockets(address)) === 0);
    await openFrom(visitors[0]!, 0, address);
  });
});
