// Uses real PostgreSQL, Redis and sockets. One api replica, with index 0, runs in this process. A login is identified
// by its family of sessions, because the session id is rotated.
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

  /** Runs `action`. Returns the SQL of the queries that it has sent. */
  const recordQueries = async (action: () => Promise<unknown>): Promise<string[]> => {
    const queries = jest.spyOn(Client.prototype, 'query');
    await action();
    return queries.mock.calls.map(([query]) => {
      const { text } = query as unknown as { text?: string };
      return text ?? String(query);
    });
  };

  /** Delays the next subscription of this replica to a channel until `release` is called. */
  const holdNextSubscription = () => {
    const subscriber = getProvider(RedisSubscriberService);
    const subscribe = subscriber.subscribe.bind(subscriber);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const heldSubscribe = jest
      .spyOn(subscriber, 'subscribe')
      .mockImplementationOnce(async (channel, listener) => {
        await released;
        await subscribe(channel, listener);
      });
    return { isHeld: () => heldSubscribe.mock.calls.length > 0, release };
  };

  it('looks up the login of each socket at most once, and rechecks all in at most one query per interval', async () => {
    const socketCount = 40;
    const visitors = await createVisitors(socketCount);
    const startedAt = performance.now();
    const queries = await recordQueries(() => Promise.all(visitors.map((visitor) => visitor.openSocket())));
    const intervals = Math.ceil((performance.now() - startedAt) / realtimeLimits.loginRecheckIntervalMs);
    // One more than the intervals, because the first query is sent at the start of the first interval.
    const maxBatches = intervals + 1;

    const countQueries = (part: string): number => queries.filter((query) => query.includes(part)).length;
    const lookUps = countQueries('id_hash = ANY');
    const rechecks = countQueries('family_id = ANY');
    // For the friends who are notified that the users came online; batched with the same interval.
    const friendQueries = countQueries('FROM friendships');
    for (const count of [lookUps, rechecks, friendQueries]) expect(count).toBeGreaterThan(0);
    expect(lookUps).toBeLessThanOrEqual(socketCount);
    expect(rechecks).toBeLessThanOrEqual(maxBatches);
    expect(friendQueries).toBeLessThanOrEqual(maxBatches);
    // No other queries were sent.
    expect(queries).toHaveLength(lookUps + rechecks + friendQueries);
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
    // After a quiet period, the first socket is checked immediately and alone. Only the next ones form a batch.
    await rechecker.recheck(otherConnection!);
    findLiveFamilies.mockClear();
    await Promise.all(connections.map((connection) => rechecker.recheck(connection)));
    expect(findLiveFamilies.mock.calls.map(([familyIds]) => familyIds.length)).toEqual([connections.length]);
    expect(connections.filter(({ isOpen }) => !isOpen)).toEqual([endedConnection]);
  });

  it('closes a socket within a second when its login ends between the upgrade and the subscription', async () => {
    const visitor = await stack.createVisitor(0);
    const subscription = holdNextSubscription();
    const socket = await visitor.openUnauthenticatedSocket();
    await until(subscription.isHeld);
    await visitor.logOut();
    const startedAt = performance.now();
    subscription.release();
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
