// Uses real PostgreSQL, Redis and sockets; one api replica runs in this process.
import { Client } from 'pg';
import { closeCodes } from '@thaw/contract/close-codes';
import { goodStanding } from '@thaw/contract/safety';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { RedisSubscriberService } from './redis-subscriber.service';
import { LoginRecheckService } from './login-recheck.service';
import { realtimeLimits } from './realtime.limits';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort } from './socket-identity.port';
import { SocketRegistry } from './socket.registry';

jest.setTimeout(30_000);

const SOCKETS = 40;

describe('the login of an opening socket', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const getProvider = <Part>(token: (abstract new (...given: never[]) => Part) | symbol): Part =>
    stack.replicas[0]!.app.get<Part>(token);
  const createVisitors = (count: number): Promise<ThawVisitor[]> =>
    Promise.all(Array.from({ length: count }, () => stack.createVisitor(0)));

  it('looks a login up by at most one query per socket and rechecks logins of many sockets in one query', async () => {
    const people = await createVisitors(SOCKETS);
    const queries = jest.spyOn(Client.prototype, 'query');
    const startedAt = performance.now();
    await Promise.all(people.map((visitor) => visitor.openSocket()));
    const windows = Math.ceil((performance.now() - startedAt) / realtimeLimits.loginRecheckMs);
    const texts = queries.mock.calls.map(([query]) => {
      const { text } = query as unknown as { text?: string };
      return text ?? String(query);
    });
    const lookUps = texts.filter((text) => text.includes('id_hash = ANY'));
    const rechecks = texts.filter((text) => text.includes('family_id = ANY'));
    // Queries for the friends who are notified that the users came online.
    const friends = texts.filter((text) => text.includes('FROM friendships'));
    expect(lookUps.length).toBeLessThanOrEqual(SOCKETS);
    for (const sent of [lookUps, rechecks, friends]) expect(sent.length).toBeGreaterThan(0);
    for (const batched of [rechecks, friends]) {
      expect(batched.length).toBeLessThanOrEqual(windows + 1);
    }
    expect(texts).toHaveLength(lookUps.length + rechecks.length + friends.length);
  });

  it('rechecks all sockets of a batch in one query and closes those whose login has ended', async () => {
    const people = await createVisitors(8);
    await Promise.all(people.map((visitor) => visitor.openSocket()));
    const connections = [...getProvider(SocketRegistry).iterateSockets()].filter(({ identity }) =>
      people.some(({ user }) => user.id === identity.userId),
    );
    const [ended] = connections;
    const findLiveFamilies = jest
      .spyOn(getProvider<SocketIdentityPort>(SOCKET_IDENTITY_PORT), 'findLiveFamilies')
      .mockImplementation(async (familyIds) => {
        const liveIds = familyIds.filter((familyId) => familyId !== ended!.identity.familyId);
        return new Map(liveIds.map((familyId) => [familyId, goodStanding]));
      });
    const rechecker = getProvider(LoginRecheckService);
    // After a quiet period the first socket is checked alone. This check makes the others one batch.
    await rechecker.recheck(connections[1]!);
    findLiveFamilies.mockClear();
    await Promise.all(connections.map((connection) => rechecker.recheck(connection)));
    expect(findLiveFamilies.mock.calls.map(([familyIds]) => familyIds.length)).toEqual([connections.length]);
    expect(connections.filter(({ isOpen }) => !isOpen)).toEqual([ended]);
  });

  it('closes a socket within a second when its login ended before the subscription to the channel', async () => {
    const visitor = await stack.createVisitor(0);
    const channels = getProvider(RedisSubscriberService);
    const subscribe = channels.subscribe.bind(channels);
    let release: () => void = () => undefined;
    const revoked = new Promise<void>((resolve) => (release = resolve));
    const subscribing = jest
      .spyOn(channels, 'subscribe')
      .mockImplementationOnce(async (channel, listener) => {
        await revoked;
        await subscribe(channel, listener);
      });
    const socket = await visitor.connect();
    await until(() => subscribing.mock.calls.length);
    await visitor.logOut();
    const startedAt = performance.now();
    release();
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(socket.frames).toEqual([]);
  });

  it('closes a socket with 1011 when its login cannot be rechecked', async () => {
    const visitor = await stack.createVisitor(0);
    jest
      .spyOn(getProvider<SocketIdentityPort>(SOCKET_IDENTITY_PORT), 'findLiveFamilies')
      .mockRejectedValueOnce(new Error('PostgreSQL is unavailable'));
    const socket = await visitor.connect();
    expect(await socket.closed).toBe(closeCodes.internalError);
  });
});
