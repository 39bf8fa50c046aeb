// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { until, untilWithin } from '../../../testing/until.functions';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { UsersService } from '../../users/application/users.service';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { LiveChatService } from '../../random-chat/application/live-chat.service';
import { departScript, joinScript } from '../infrastructure/match-queue.scripts';
import { MatchmakingService } from './matchmaking.service';
import { MatchQueueService } from './match-queue.service';

jest.setTimeout(30_000);

describe('MatchmakingService', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { REMATCH_RELAX_AFTER_S: '1' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const getMatchmaking = (replica: number) => stack.replicas[replica]!.app.get(MatchmakingService);
  /** Number of searching users that a replica tracks. */
  const countSearching = (replica: number): number =>
    (getMatchmaking(replica) as unknown as { waitingUsers: ReadonlyMap<number, unknown> }).waitingUsers.size;
  const record = (userId: number) => stack.store.redis.hgetall(matchingKeys.user(userId));
  const listQueues = async (): Promise<string[]> => {
    const sets = await stack.store.listKeys('{matching}:queue:*');
    return (await Promise.all(sets.map((set) => stack.store.redis.zrange(set, '0', '-1')))).flat();
  };

  it("matches two users across two replicas and sends each the other's profile", async () => {
    const ada = await stack.createVisitor(0, 'female');
    const bob = await stack.createVisitor(1, 'male');
    const [first, second] = [await ada.openSocket(), await bob.openSocket()];
    await first.request('join_queue', { preferences: 'male' });
    await second.request('join_queue', {});
    const { username } = bob.user;
    expect(await first.next('chat_matched')).toMatchObject({
      seq: 1,
      partnerId: bob.user.id,
      partnerInfo: { id: bob.user.id, username, avatar: null, isOnline: true },
    });
    expect(await second.next('chat_matched')).toMatchObject({ seq: 1, partnerId: ada.user.id });
    expect(await first.ask('join_queue', {})).toMatchObject({ data: { code: 'already_in_session' } });
  });

  it("mirrors a search in the user's second tab: first the queue, then the match", async () => {
    const ada = await stack.createVisitor(0, 'female');
    const [here, there] = [await ada.openSocket(stack.origins[0]), await ada.openSocket(stack.origins[1])];
    await here.request('join_queue', { preferences: 'male' });
    expect(await there.next('queue_joined')).toMatchObject({ preferences: 'male' });
    const late = await ada.openSocket(stack.origins[1]);
    expect(await late.next('queue_joined')).toEqual(there.all('queue_joined')[0]);
    const bob = await (await stack.createVisitor(1, 'male')).openSocket();
    await bob.request('join_queue', {});
    for (const tab of [here, there, late]) await tab.next('chat_matched');
    const order = there.frames.map(({ event }) => event);
    expect(order.indexOf('queue_joined')).toBeLessThan(order.indexOf('chat_matched'));
    expect(here.all('queue_joined')).toEqual([]);
  });

  it('ends the search in every tab when it ends in one', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const [here, there] = [await ada.openSocket(stack.origins[0]), await ada.openSocket(stack.origins[1])];
    await here.request('join_queue', {});
    await there.next('queue_joined');
    await there.request('leave_queue', {});
    await here.next('queue_left');
    // The replica of the first tab tracks users who search there; it must not queue the user again.
    for (const replica of [0, 1, 0, 1]) await getMatchmaking(replica).checkRecords();
    expect(countSearching(0) + countSearching(1)).toBe(0);
    expect(await record(ada.user.id)).toEqual({});
    expect(await listQueues()).toEqual([]);
  });

  it('continues the search in the remaining tab, wherever it started', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const [here, there] = [await ada.openSocket(stack.origins[0]), await ada.openSocket(stack.origins[1])];
    await here.request('join_queue', {});
    await there.next('queue_joined');
    await until(() => countSearching(1) === 1);
    await here.leave();
    await until(() => countSearching(0) === 0);
    const bob = await (await stack.createVisitor(0, 'male')).openSocket();
    await bob.request('join_queue', {});
    await there.next('chat_matched');
  });

  it('ends the search with the last socket, even one that closes while it joins', async () => {
    const users = stack.replicas[0]!.app.get(UsersService);
    const findSearcher = users.findSearcher.bind(users);
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    let goOn: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (goOn = resolve));
    const join = jest.spyOn(getMatchmaking(0), 'join');
    jest.spyOn(users, 'findSearcher').mockImplementationOnce(async (userId) => {
      asked();
      await gone;
      return findSearcher(userId);
    });
    socket.send({ event: 'join_queue', data: {} });
    await isAsked;
    await socket.leave();
    await until(async () => (await stack.store.listKeys(`{presence*}:sockets:${ada.user.id}`)).length === 0);
    goOn();
    await until(() => join.mock.results.length);
    await join.mock.results[0]?.value;
    await untilWithin(2_000, async () => !(await listQueues()).includes(String(ada.user.id)));
    expect(countSearching(0)).toBe(0);
    expect(await stack.store.redis.pttl(matchingKeys.user(ada.user.id))).toBeGreaterThan(0);
  });

  it('ends the search when the last socket closed before a join that timed out', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.leave();
    await until(async () => (await stack.store.listKeys(`{presence*}:sockets:${ada.user.id}`)).length === 0);
    const run = joinScript.run.bind(joinScript);
    jest.spyOn(joinScript, 'run').mockImplementationOnce(async (...given) => {
      await run(...given);
      throw new Error('Command timed out');
    });
    const join = getMatchmaking(0).join(ada.user.id, {
      gender: 'female',
      preference: 'male',
      pool: 'common',
    });
    await expect(join).rejects.toThrow('timed out');
    expect(await record(ada.user.id)).toMatchObject({ state: 'searching' });
    expect(await listQueues()).not.toContain(String(ada.user.id));
  });

  it('matches two searching users again once their cool-down may be ignored', async () => {
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    const [first, second] = [await ada.openSocket(), await bob.openSocket()];
    await first.request('join_queue', {});
    await second.request('join_queue', {});
    const { sessionId } = await first.take('chat_matched');
    await second.take('chat_matched');
    await first.request('skip_chat', { sessionId: String(sessionId) });
    await second.next('chat_skipped');
    await Promise.all([first.request('join_queue', {}), second.request('join_queue', {})]);
    expect(await listQueues()).toHaveLength(2);
    const again = await first.next('chat_matched');
    expect(again).toMatchObject({ partnerId: bob.user.id });
    expect(again.sessionId).not.toBe(sessionId);
    await second.next('chat_matched', (data) => data.sessionId === again.sessionId);
  });

  it('restores a search after Redis lost all data', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.request('join_queue', { preferences: 'male' });
    await stack.store.flush();
    await until(async () => (await record(ada.user.id)).state === 'searching');
    expect(await record(ada.user.id)).toMatchObject({ gender: 'female', preference: 'male', pool: '' });
    const bob = await (await stack.createVisitor(1, 'male')).openSocket();
    await bob.request('join_queue', {});
    await socket.next('chat_matched');
  });

  it('keeps the place of a user who returns on another replica', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.request('join_queue', { preferences: 'male' });
    const { since } = await record(ada.user.id);
    await socket.cut();
    await until(async () => (await listQueues()).length === 0);
    const back = await ada.connect(stack.origins[1]);
    const reply = await back.ask('authenticate', { userId: ada.user.id });
    expect(reply.data).toEqual({ userId: ada.user.id, state: 'searching' });
    expect(await back.next('queue_joined')).toEqual({
      preferences: 'male',
      since: new Date(Number(since)).toISOString(),
    });
    expect(await listQueues()).toEqual([String(ada.user.id)]);
  });

  it('removes a user from the queue whose departure could not be recorded at first', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await socket.request('join_queue', { preferences: 'male' });
    expect(await listQueues()).toContain(String(ada.user.id));
    const depart = jest.spyOn(departScript, 'run').mockRejectedValueOnce(new Error('Command timed out'));
    await socket.leave();
    await until(async () => !(await listQueues()).includes(String(ada.user.id)));
    expect(depart.mock.calls.length).toBeGreaterThan(1);
  });

  it('settles other claims while one of them cannot be settled', async () => {
    const matching = stack.replicas[0]!.app.get(MatchQueueService);
    const chats = stack.replicas.map(({ app }) => app.get(LiveChatService));
    const sessions: string[] = [];
    for (const [one, other] of [
      [1, 2],
      [3, 4],
    ] as const) {
      await matching.join(one, 'male', 'both');
      const place = await matching.join(other, 'male', 'both');
      if (place.kind === 'matched') sessions.push(place.match.sessionId);
    }
    const [stuck = '', other = ''] = sessions;
    for (const each of chats) {
      const read = each.read.bind(each);
      jest.spyOn(each, 'read').mockImplementation(async (sessionId) => {
        if (sessionId === stuck) throw new Error('This one cannot be read');
        return read(sessionId);
      });
    }
    for (const claim of await stack.store.redis.zrange(matchingKeys.claims, '0', '-1'))
      await stack.store.redis.zadd(matchingKeys.claims, '1', claim);
    const listClaimed = () => stack.store.redis.zrange(matchingKeys.claims, '0', '-1');
    const left = await until(listClaimed, (claims) => !claims.some((claim) => claim.startsWith(other)));
    expect(left.some((claim) => claim.startsWith(stuck))).toBe(true);
    await stack.store.flush();
  });

  it('frees users who never return after the end of their chat could not be recorded', async () => {
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    const [first, second] = [await ada.openSocket(), await bob.openSocket()];
    await first.request('join_queue', {});
    await second.request('join_queue', {});
    const { sessionId } = await first.next('chat_matched');
    await second.next('chat_matched');
    const finish = jest
      .spyOn(MatchQueueService.prototype, 'finish')
      .mockRejectedValue(new Error('Redis is away'));
    await first.ask('skip_chat', { sessionId: String(sessionId) });
    await second.next('chat_skipped');
    await Promise.all([first.leave(), second.leave()]);
    expect(await record(ada.user.id)).toMatchObject({ state: 'chatting', session: sessionId });
    finish.mockRestore();
    for (const chat of await stack.store.redis.zrange(matchingKeys.chats, '0', '-1'))
      await stack.store.redis.zadd(matchingKeys.chats, '1', chat);
    await until(async () => Object.keys(await record(ada.user.id)).length === 0);
    expect(await record(bob.user.id)).toEqual({});
    expect(await stack.store.redis.zcard(matchingKeys.chats)).toBe(0);
  });

  it('checks many users at once, with one check at a time', async () => {
    const matching = stack.replicas[0]!.app.get(MatchQueueService);
    const registry = stack.replicas[0]!.app.get(SocketRegistry);
    jest.spyOn(registry, 'hasSocketsOf').mockReturnValue(true);
    const ids = Array.from({ length: 500 }, (_, index) => index + 1);
    await Promise.all(
      ids.map((userId) =>
        getMatchmaking(0).join(userId, { gender: 'male', preference: 'female', pool: 'common' }),
      ),
    );
    let now = 0;
    let most = 0;
    let resumes = 0;
    const resume = matching.resume.bind(matching);
    jest.spyOn(matching, 'resume').mockImplementation(async (userId) => {
      resumes += 1;
      most = Math.max(most, (now += 1));
      const place = await resume(userId);
      now -= 1;
      return place;
    });
    await Promise.all([getMatchmaking(0).checkRecords(), getMatchmaking(0).checkRecords()]);
    expect(resumes).toBe(2 * ids.length);
    expect(most).toBe(200);
    for (const userId of ids) await getMatchmaking(0).leave(userId);
  });
});
