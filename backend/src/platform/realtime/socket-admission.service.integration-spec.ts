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

/** Creates visitors, each with an account registered from a separate address. */
const signUpPeople = async (stack: TestStack, count: number): Promise<ThawVisitor[]> => {
  const all: ThawVisitor[] = [];
  while (all.length < count) {
    const some = Array.from({ length: Math.min(20, count - all.length) }, async () => {
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
    all.push(...(await Promise.all(some)));
  }
  return all;
};

/** Requests upgrades until one is refused. @returns the refusal. */
const requestRefusedUpgrade = async (origin: string, address: string) => {
  // The limit refills five times a second, so a first request may be accepted on a busy machine.
  for (;;) {
    const refusal = await requestUpgrade(origin, address);
    if (refusal) return refusal;
  }
};

/** Requests one upgrade. @returns the refusal, or undefined if accepted; the socket is then closed. */
const requestUpgrade = async (origin: string, address: string) => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'x-forwarded-for': address };
  const sent = request(`${origin}/ws`, { headers: { ...upgrade, ...key } }).end();
  const accepted = once(sent, 'upgrade').then(([, socket]) => void (socket as Socket).destroy());
  const answered = once(sent, 'response').then(([response]) => response as IncomingMessage);
  const response = await Promise.race([accepted, answered]);
  if (!response) return undefined;
  const body = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body };
};

describe('the sockets of one address', () => {
  const maximum = socketsPerAddress.default;
  let stack: TestStack;
  let school: ThawVisitor[];

  beforeAll(async () => {
    stack = await startTestStack(2, { LIMITS_PROFILE: 'default', TRUST_PROXY: '1' });
    school = await signUpPeople(stack, maximum + 30);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(school.map((visitor) => visitor.closeSockets()));
  });
  afterAll(() => stack.close());

  const open = (visitor: ThawVisitor, index: number, address: string) =>
    visitor.connect(stack.origins[index % 2], { 'x-forwarded-for': address });
  const countSockets = (address: string) => stack.store.redis.scard(socketsOfAddressKey(address));
  /** Resets the handshake limit, as after a minute without handshakes. */
  const refill = (address: string) => stack.store.redis.del(rateLimitKey('socket_handshakes', address));

  it('are limited exactly over all replicas, and a closed socket makes room for another', async () => {
    const address = createRandomAddress();
    const outcomes = await Promise.allSettled(school.map((visitor, index) => open(visitor, index, address)));
    expect(outcomes.filter(isOpen)).toHaveLength(maximum);
    expect(listRefusals(outcomes)).toEqual(Array(30).fill('Upgrade answered 429'));
    expect(await countSockets(address)).toBe(maximum);
    await open(school.at(-1)!, 0, createRandomAddress());

    await outcomes.find(isOpen)!.value.cut();
    await until(async () => (await countSockets(address)) === maximum - 1);
    await open(school.at(-1)!, 1, address);
    await expect(open(school.at(-1)!, 0, address)).rejects.toThrow('429');
  });

  it('can all reconnect with the specified back-off after a simultaneous disconnection', async () => {
    const address = createRandomAddress();
    const present = school.slice(0, maximum);
    await Promise.all(present.map((visitor, index) => open(visitor, index, address)));
    await refill(address);
    const reconnect = async (visitor: ThawVisitor, index: number): Promise<number> => {
      for (let attempt = 1; attempt <= limits.reconnectAttempts; attempt += 1) {
        await delay(reconnectDelayMs(attempt));
        const socket = await open(visitor, index, address).catch(() => undefined);
        if (socket) return attempt;
      }
      return Infinity;
    };
    await Promise.all(present.map((visitor) => visitor.closeSockets()));
    const attempts = await Promise.all(present.map(reconnect));
    expect(Math.max(...attempts)).toBeLessThanOrEqual(limits.reconnectAttempts);
    expect(await countSockets(address)).toBe(maximum);
  });

  it('no longer count when the lease of their replica has expired', async () => {
    const address = createRandomAddress();
    const ghosts = Array.from({ length: maximum }, (_, index) => `api-9.dead|socket-${index}`);
    await stack.store.redis.sadd(socketsOfAddressKey(address), ...ghosts);
    // After a start, replicas wait until the others have had time to renew their leases.
    await until(() =>
      open(school[0]!, 0, address).then(
        () => true,
        () => false,
      ),
    );
    expect(await countSockets(address)).toBe(1);
  });

  it('are counted per /64 for IPv6', async () => {
    const network = `2001:db8:${randomInt(1, 0xffff).toString(16)}:1`;
    const outcomes = await Promise.allSettled(
      school.map((visitor, index) => open(visitor, index, `${network}::${(index + 1).toString(16)}`)),
    );
    expect(outcomes.filter(isOpen)).toHaveLength(maximum);
  });

  it('may be opened 300 times per minute, and a refusal has a Retry-After header', async () => {
    const address = createRandomAddress();
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 400 }, (_, index) => {
        const headers = { 'x-forwarded-for': address };
        return ThawSocket.open(`${stack.origins[index % 2]!.replace('http', 'ws')}/ws`, headers, 0);
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const opened = outcomes.filter(isOpen).length;
    expect(opened).toBeLessThanOrEqual(300 + 5 * seconds);
    expect(opened).toBeGreaterThanOrEqual(maximum);
    const refusal = await requestRefusedUpgrade(stack.origins[0]!, address);
    expect(refusal.status).toBe(429);
    expect(Number(refusal.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(refusal.body)).toMatchObject({ statusCode: 429, code: 'rate_limited' });
  });

  it('are removed from Redis when they close', async () => {
    const address = createRandomAddress();
    await Promise.all(school.slice(0, 20).map((visitor, index) => open(visitor, index, address)));
    expect(await countSockets(address)).toBe(20);
    await Promise.all(school.map((visitor) => visitor.closeSockets()));
    await until(async () => (await countSockets(address)) === 0);
  });

  it('are limited by each replica separately while Redis does not respond', async () => {
    const address = createRandomAddress();
    const admission = stack.replicas[0]!.app.get(SocketAdmissionService);
    const failing = jest.spyOn(stack.replicas[0]!.app.get<Redis>(REDIS), 'sendCommand');
    failing.mockImplementation(() => Promise.reject(new Error('Connection is closed.')));
    const admitted = await Promise.all(Array.from({ length: maximum }, () => admission.admit(address)));
    expect(admitted.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(maximum);
    expect(await admission.admit(address)).toMatchObject({ isAdmitted: false });
    failing.mockRestore();
    for (const admittance of admitted) if (admittance.isAdmitted) admittance.release();
    expect(await admission.admit(address)).toMatchObject({ isAdmitted: true });
  });

  it('are refused with 503 when the login cannot be looked up in time', async () => {
    const times: Record<string, number> = realtimeLimits;
    jest.replaceProperty(times, 'handshakeTimeoutMs', 50);
    const identities = stack.replicas[0]!.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    jest.spyOn(identities, 'identify').mockReturnValueOnce(new Promise(() => undefined));
    const address = createRandomAddress();
    await expect(open(school[0]!, 0, address)).rejects.toThrow('503');
    await until(async () => (await countSockets(address)) === 0);
    await open(school[0]!, 0, address);
  });
});
