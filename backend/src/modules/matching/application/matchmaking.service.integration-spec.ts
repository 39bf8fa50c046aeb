// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process. A socket's
// `request` throws if the answer is an error; its `ask` returns it.
import { requireMatch } from '../../../testing/test-match-queue.harness';
import { createPair } from '../../../testing/random-chat.fixture';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../../testing/thaw.client';
import { until, untilWithin } from '../../../testing/until.functions';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { UsersService } from '../../users/application/users.service';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { LiveChatService } from '../../random-chat/application/live-chat.service';
import { departScript, joinScript, type PoolName } from '../infrastructure/match-queue.scripts';
import { MatchmakingService } from './matchmaking.service';
import { MatchQueueService } from './match-queue.service';
import { WaitingUserCheckService } from './waiting-user-check.service';
import { WaitingUserRegistry } from './waiting-user.registry';

jest.setTimeout(30_000);

/** Much shorter than the ten seconds between two checks of `WaitingUserCheckService`, which repair missed changes. */
const WITHOUT_CHECK_MS = 2_000;
/** The pool `common`, as its users' records in Redis name it. */
const COMMON_POOL: PoolName = '';
/** A deadline that has passed: 1 ms after the epoch. */
const LONG_AGO_MS = '1';

describe('MatchmakingService', () => {
  let stack: TestStack;

  beforeAll(async () => {
    // The cool-down of recent partners may be ignored after a search of 1 s.
    stack = await startTestStack(2, { REMATCH_RELAX_AFTER_S: '1' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const getMatchmaking = (replicaIndex: number) => stack.replicas[replicaIndex]!.app.get(MatchmakingService);
  const checkRecords = (replicaIndex: number): Promise<void> =>
    stack.replicas[replicaIndex]!.app.get(WaitingUserCheckService).checkRecords();
  /** Number of users that a replica tracks because they are searching, or matched and waiting for the chat. */
  const countTracked = (replicaIndex: number): number =>
    stack.replicas[replicaIndex]!.app.get(WaitingUserRegistry).count;
  /** Reads the user's record in the match queue; `{}` if there is none. */
  const readRecord = (userId: number) => stack.store.redis.hgetall(matchingKeys.user(userId));
  /** Lists the ids of the users in all queues. */
  const listQueuedIds = async (): Promise<string[]> => {
    const queueKeys = await stack.store.listKeys('{matching}:queue:*');
    return (await Promise.all(queueKeys.map((key) => stack.store.redis.zrange(key, '0', '-1')))).flat();
  };
  /** Makes all entries due in a sorted set of deadlines: the expiry of claims, or the next checks of chats. */
  const makeAllDue = async (deadlinesKey: string): Promise<void> => {
    for (const entry of await stack.store.redis.zrange(deadlinesKey, '0', '-1'))
      await stack.store.redis.zadd(deadlinesKey, LONG_AGO_MS, entry);
  };
  /** Opens a socket on each replica. */
  const openTwoTabs = async (user: ThawVisitor): Promise<[firstTab: ThawSocket, secondTab: ThawSocket]> => [
    await user.openSocket(stack.origins[0]),
    await user.openSocket(stack.origins[1]),
  ];
  /** Waits until the server has noticed that the user has no socket left. */
  const waitUntilOffline = (userId: number) =>
    until(async () => (await stack.store.listKeys(`{presence*}:sockets:${userId}`)).length === 0);

  it("matches two users across two replicas and sends each the other's profile", async () => {
    const [ada, bob] = await createPair(stack);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    await adaSocket.request('join_queue', { preferences: 'male' });
    await bobSocket.request('join_queue', {});
    const { username } = bob.user;
    expect(await adaSocket.next('chat_matched')).toMatchObject({
      seq: 1,
      partnerId: bob.user.id,
      partnerInfo: { id: bob.user.id, username, avatar: null, isOnline: true },
    });
    expect(await bobSocket.next('chat_matched')).toMatchObject({ seq: 1, partnerId: ada.user.id });
    expect(await adaSocket.ask('join_queue', {})).toMatchObject({ data: { code: 'already_in_session' } });
  });

  it("mirrors a search in the user's second tab: first the queue, then the match", async () => {
    const ada = await stack.createVisitor(0, 'female');
    const [firstTab, secondTab] = await openTwoTabs(ada);
    await firstTab.request('join_queue', { preferences: 'male' });
    expect(await secondTab.next('queue_joined')).toMatchObject({ preferences: 'male' });
    const lateTab = await ada.openSocket(stack.origins[1]);
    expect(await lateTab.next('queue_joined')).toEqual(secondTab.all('queue_joined')[0]);
    const bobSocket = await (await stack.createVisitor(1, 'male')).openSocket();
    await bobSocket.request('join_queue', {});
    for (const tab of [firstTab, secondTab, lateTab]) await tab.next('chat_matched');
    const order = secondTab.frames.map(({ event }) => event);
    expect(order.indexOf('queue_joined')).toBeLessThan(order.indexOf('chat_matched'));
    expect(firstTab.all('queue_joined')).toEqual([]); // the tab that joined gets an answer instead
  });

  it('ends the search in every tab when the user leaves the queue in one', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const [firstTab, secondTab] = await openTwoTabs(ada);
    await firstTab.request('join_queue', {});
    await secondTab.next('queue_joined');
    await secondTab.request('leave_queue', {});
    await firstTab.next('queue_left');
    // Each replica checks twice, because it stops tracking a user whose record is missing in two checks. Neither check
    // may queue the user again.
    for (const replicaIndex of [0, 1, 0, 1]) await checkRecords(replicaIndex);
    expect(countTracked(0) + countTracked(1)).toBe(0);
    expect(await readRecord(ada.user.id)).toEqual({});
    expect(await listQueuedIds()).toEqual([]);
  });

  it('continues the search in the remaining tab when the tab that started it closes', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const [firstTab, secondTab] = await openTwoTabs(ada);
    await firstTab.request('join_queue', {});
    await secondTab.next('queue_joined');
    await until(() => countTracked(1) === 1);
    await firstTab.closeCleanly();
    await until(() => countTracked(0) === 0);
    const bobSocket = await (await stack.createVisitor(0, 'male')).openSocket();
    await bobSocket.request('join_queue', {});
    await secondTab.next('chat_matched');
  });

  it('removes a user from the queue and lets their record expire if their socket closes during the join', async () => {
    // The gateway calls `findSearcher` before it joins the user. The socket closes during this call.
    const users = stack.replicas[0]!.app.get(UsersService);
    const findSearcher = users.findSearcher.bind(users);
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    const join = jest.spyOn(getMatchmaking(0), 'join');
    jest.spyOn(users, 'findSearcher').mockImplementationOnce(async (userId) => {
      await socket.closeCleanly();
      await waitUntilOffline(ada.user.id);
      return findSearcher(userId);
    });
    socket.send({ event: 'join_queue', data: {} });
    const joinCall = await until(() => join.mock.results[0]);
    await joinCall?.value; // the join has ended
    await untilWithin(WITHOUT_CHECK_MS, async () => !(await listQueuedIds()).includes(String(ada.user.id)));
    expect(countTracked(0)).toBe(0);
    // The record of a user with a socket has no expiry (-1).
    expect(await stack.store.redis.pttl(matchingKeys.user(ada.user.id))).toBeGreaterThan(0);
  });

  it('does not queue a user without a socket if their join times out after Redis has executed it', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.closeCleanly();
    await waitUntilOffline(ada.user.id);
    const executeJoin = joinScript.run.bind(joinScript);
    jest.spyOn(joinScript, 'run').mockImplementationOnce(async (...args) => {
      await executeJoin(...args);
      throw new Error('Command timed out');
    });
    const join = getMatchmaking(0).join(ada.user.id, {
      gender: 'female',
      preference: 'male',
      pool: 'common',
    });
    await expect(join).rejects.toThrow('timed out');
    // After the failure, the replica has taken the user out of the queue.
    expect(await listQueuedIds()).not.toContain(String(ada.user.id));
    // The record stays for some time, so that a user who returns gets their place back.
    expect(await readRecord(ada.user.id)).toMatchObject({ state: 'searching' });
  });

  it('matches two recent partners again once their cool-down may be ignored', async () => {
    const [ada, bob] = await createPair(stack);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    await adaSocket.request('join_queue', {});
    await bobSocket.request('join_queue', {});
    // `take` removes the frame, so that `next` below waits for the second match.
    const { sessionId } = await adaSocket.take('chat_matched');
    await bobSocket.take('chat_matched');
    await adaSocket.request('skip_chat', { sessionId: String(sessionId) });
    await bobSocket.next('chat_skipped');
    await Promise.all([adaSocket.request('join_queue', {}), bobSocket.request('join_queue', {})]);
    expect(await listQueuedIds()).toHaveLength(2); // kept apart by the cool-down
    const nextMatch = await adaSocket.next('chat_matched');
    expect(nextMatch).toMatchObject({ partnerId: bob.user.id });
    expect(nextMatch.sessionId).not.toBe(sessionId);
    await bobSocket.next('chat_matched', (data) => data.sessionId === nextMatch.sessionId);
  });

  it('restores a search after Redis lost all data', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.request('join_queue', { preferences: 'male' });
    await stack.store.flush();
    await until(async () => (await readRecord(ada.user.id)).state === 'searching');
    const record = await readRecord(ada.user.id);
    expect(record).toMatchObject({ gender: 'female', preference: 'male', pool: COMMON_POOL });
    const bobSocket = await (await stack.createVisitor(1, 'male')).openSocket();
    await bobSocket.request('join_queue', {});
    await socket.next('chat_matched');
  });

  it('keeps the place of a user who returns on another replica', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.request('join_queue', { preferences: 'male' });
    const { since } = await readRecord(ada.user.id);
    await socket.terminate();
    await until(async () => (await listQueuedIds()).length === 0);
    const newSocket = await ada.openUnauthenticatedSocket(stack.origins[1]);
    const reply = await newSocket.ask('authenticate', { userId: ada.user.id });
    expect(reply.data).toEqual({ userId: ada.user.id, state: 'searching' });
    expect(await newSocket.next('queue_joined')).toEqual({
      preferences: 'male',
      since: new Date(Number(since)).toISOString(),
    });
    expect(await listQueuedIds()).toEqual([String(ada.user.id)]);
  });

  it('repeats a call to Redis that failed to take a disconnected user out of the queue', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.request('join_queue', { preferences: 'male' });
    expect(await listQueuedIds()).toContain(String(ada.user.id));
    const depart = jest.spyOn(departScript, 'run').mockRejectedValueOnce(new Error('Command timed out'));
    await socket.closeCleanly();
    await until(async () => !(await listQueuedIds()).includes(String(ada.user.id)));
    expect(depart.mock.calls.length).toBeGreaterThan(1);
  });

  it('settles an expired claim even if settling another one fails', async () => {
    // A claim is a match whose chat has not started. The queue knows only ids, so the users 1 to 4 need not exist.
    const queue = stack.replicas[0]!.app.get(MatchQueueService);
    const createClaim = async (waitingId: number, joiningId: number): Promise<string> => {
      await queue.join(waitingId, 'male', 'both');
      return requireMatch(await queue.join(joiningId, 'male', 'both')).sessionId;
    };
    const stuckSession = await createClaim(1, 2);
    const otherSession = await createClaim(3, 4);
    // Either replica may settle a claim that has expired. It reads the chat, which fails for one of the sessions.
    for (const { app } of stack.replicas) {
      const chats = app.get(LiveChatService);
      const read = chats.read.bind(chats);
      jest.spyOn(chats, 'read').mockImplementation(async (sessionId) => {
        if (sessionId === stuckSession) throw new Error('This chat cannot be read');
        return read(sessionId);
      });
    }
    await makeAllDue(matchingKeys.claims);
    const listClaimedSessions = async () => {
      const claims = await stack.store.redis.zrange(matchingKeys.claims, '0', '-1');
      return claims.map((claim) => claim.split('|')[0]);
    };
    const remaining = await until(listClaimedSessions, (sessions) => !sessions.includes(otherSession));
    expect(remaining).toContain(stuckSession);
    await stack.store.flush(); // removes the stuck claim, which must not affect other tests
  });

  it('frees users who never return, even if the match queue missed the end of their chat', async () => {
    const [ada, bob] = await createPair(stack);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    await adaSocket.request('join_queue', {});
    await bobSocket.request('join_queue', {});
    const { sessionId } = await adaSocket.next('chat_matched');
    await bobSocket.next('chat_matched');
    const finish = jest
      .spyOn(MatchQueueService.prototype, 'finish')
      .mockRejectedValue(new Error('Redis is unavailable'));
    await adaSocket.ask('skip_chat', { sessionId: String(sessionId) });
    await bobSocket.next('chat_skipped');
    await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
    expect(await readRecord(ada.user.id)).toMatchObject({ state: 'chatting', session: sessionId });
    finish.mockRestore();
    await makeAllDue(matchingKeys.chats); // the check of the chat finds that the chat has ended
    await until(async () => Object.keys(await readRecord(ada.user.id)).length === 0);
    expect(await readRecord(bob.user.id)).toEqual({});
    expect(await stack.store.redis.zcard(matchingKeys.chats)).toBe(0);
  });

  it('checks at most 200 users concurrently, even if a second check of all users is requested meanwhile', async () => {
    const queue = stack.replicas[0]!.app.get(MatchQueueService);
    const registry = stack.replicas[0]!.app.get(SocketRegistry);
    jest.spyOn(registry, 'hasSocketsOf').mockReturnValue(true); // otherwise the replica would not track the users
    const ids = Array.from({ length: 500 }, (_, index) => index + 1);
    await Promise.all(
      ids.map((userId) =>
        getMatchmaking(0).join(userId, { gender: 'male', preference: 'female', pool: 'common' }),
      ),
    );
    let running = 0;
    let maxRunning = 0;
    let resumes = 0;
    const resume = queue.resume.bind(queue);
    jest.spyOn(queue, 'resume').mockImplementation(async (userId) => {
      resumes += 1;
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      const state = await resume(userId);
      running -= 1;
      return state;
    });
    // The second check waits for the first; otherwise up to 400 users would be checked concurrently.
    await Promise.all([checkRecords(0), checkRecords(0)]);
    expect(resumes).toBe(2 * ids.length); // each check resumes the search of each user
    expect(maxRunning).toBe(200);
    for (const userId of ids) await getMatchmaking(0).leave(userId);
  });
});
