// Uses real PostgreSQL, Redis and sockets; one api replica runs in this process. `createVisitor(0)` signs up a visitor
// at this replica. A login is a family of sessions, whose id stays the same when the session id is rotated.
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

const SOCKET_COUNT = 40;

describe('LoginRecheckService', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const getProvider = <Provider>(
    token: (abstract new (...parameters: never[]) => Provider) | symbol,
  ): Provider => stack.replicas[0]!.app.get<Provider>(token);
  const createVisitors = (count: number): Promise<ThawVisitor[]> =>
    Promise.all(Array.from({ length: count }, () => stack.createVisitor(0)));

  it('looks up the login of each socket at most once, and rechecks all in at most one query per interval', async () => {
    const visitors = await createVisitors(SOCKET_COUNT);
    const queries = jest.spyOn(Client.prototype, 'query');
    const startedAt = performance.now();
    await Promise.all(visitors.map((visitor) => visitor.openSocket()));
    const intervals = Math.ceil((performance.now() - startedAt) / realtimeLimits.loginRecheckIntervalMs);
    const texts = queries.mock.calls.map(([query]) => {
      const { text } = query as unknown as { text?: string };
      return text ?? String(query);
    });
    const lookUps = texts.filter((text) => text.includes('id_hash = ANY'));
    const rechecks = texts.filter((text) => text.includes('family_id = ANY'));
    // Queries for the friends who are notified that the users came online; they are batched with the same interval.
    const friendQueries = texts.filter((text) => text.includes('FROM friendships'));
    expect(lookUps.length).toBeLessThanOrEqual(SOCKET_COUNT);
    for (const sent of [lookUps, rechecks, friendQueries]) expect(sent.length).toBeGreaterThan(0);
    for (const batched of [rechecks, friendQueries]) {
      // One more than the intervals, because the first query is sent at the start of the first interval.
      expect(batched.length).toBeLessThanOrEqual(intervals + 1);
    }
    // No other queries were sent.
    expect(texts).toHaveLength(lookUps.length + rechecks.length + friendQueries.length);
  });

  it('rechecks all sockets of a batch in one query and closes those whose login has ended', async () => {
    const visitors = await createVisitors(8);
    await Promise.all(visitors.map((visitor) => visitor.openSocket()));
    const connections = [...getProvider(SocketRegistry).iterateSockets()].filter(({ identity }) =>
      visitors.some(({ user }) => user.id === identity.userId),
    );
    const [endedConnection, otherConnection] = connections;
    const findLiveFamilies = jest
      .spyOn(getProvider<SocketIdentityPort>(SOCKET_IDENTITY_PORT), 'findLiveFamilies')
      .mockImplementation(async (familyIds) => {
        const liveIds = familyIds.filter((familyId) => familyId !== endedConnection!.identity.familyId);
        return new Map(liveIds.map((familyId) => [familyId, goodStanding]));
      });
    const rechecker = getProvider(LoginRecheckService);
    // After a quiet period a socket is checked immediately and alone. The sockets after it form one batch.
    await rechecker.recheck(otherConnection!);
    findLiveFamilies.mockClear();
    await Promise.all(connections.map((connection) => rechecker.recheck(connection)));
    expect(findLiveFamilies.mock.calls.map(([familyIds]) => familyIds.length)).toEqual([connections.length]);
    expect(connections.filter(({ isOpen }) => !isOpen)).toEqual([endedConnection]);
  });

  it('closes a socket within a second when its login ends between the upgrade and the subscription', async () => {
    const visitor = await stack.createVisitor(0);
    const subscriber = getProvider(RedisSubscriberService);
    const subscribe = subscriber.subscribe.bind(subscriber);
    let continueSubscription: () => void = () => undefined;
    const mayContinue = new Promise<void>((resolve) => (continueSubscription = resolve));
    const heldSubscribe = jest
      .spyOn(subscriber, 'subscribe')
      .mockImplementationOnce(async (channel, listener) => {
        await mayContinue;
        await subscribe(channel, listener);
      });
    const socket = await visitor.openUnauthenticatedSocket();
    await until(() => heldSubscribe.mock.calls.length);
    await visitor.logOut();
    const startedAt = performance.now();
    continueSubscription();
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(socket.frames).toEqual([]);
  });

  it('closes a socket with 1011 when its login cannot be rechecked', async () => {
    const visitor = await stack.createVisitor(0);
    jest
      .spyOn(getProvider<SocketIdentityPort>(SOCKET_IDENTITY_PORT), 'findLiveFamilies')
      .mockRejectedValueOnce(new Error('PostgreSQL is unavailable'));
    const socket = await visitor.openUnauthenticatedSocket();
    expect(await socket.closed).toBe(closeCodes.internalError);
  });
});
