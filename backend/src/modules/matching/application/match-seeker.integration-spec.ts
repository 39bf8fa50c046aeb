// Real: two whole api replicas in this process, PostgreSQL, Redis, sockets.
import { startTestReplicas, type TestReplicas } from '../../../testing/test-replicas';
import { until } from '../../../testing/until';
import { matchingKeys } from '../../../platform/redis/redis-keys';
import { UsersService } from '../../users/application/users.service';
import { MatchSeeker } from './match-seeker';

jest.setTimeout(30_000);

describe('seeking', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(2, { REMATCH_RELAX_AFTER_S: '1' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await thaw.hangUp();
  });
  afterAll(() => thaw.close());

  const seeker = (replica: number) => thaw.replicas[replica]!.app.get(MatchSeeker);
  const record = (userId: number) => thaw.store.redis.hgetall(matchingKeys.user(userId));
  const queues = async (): Promise<string[]> => {
    const sets = await thaw.store.keys('{mm}:q:*');
    return (await Promise.all(sets.map((set) => thaw.store.redis.zrange(set, '0', '-1')))).flat();
  };

  it('two meet over two replicas, each told of the other', async () => {
    const ada = await thaw.visitor(0, 'female');
    const bob = await thaw.visitor(1, 'male');
    const [first, second] = [await ada.arrive(), await bob.arrive()];
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

  it('a second tab mirrors the first: it is told of the queue, then of the match', async () => {
    const ada = await thaw.visitor(0, 'female');
    const [here, there] = [await ada.arrive(thaw.origins[0]), await ada.arrive(thaw.origins[1])];
    await here.request('join_queue', { preferences: 'male' });
    expect(await there.next('queue_joined')).toMatchObject({ preferences: 'male' });
    const late = await ada.arrive(thaw.origins[1]);
    expect(await late.next('queue_joined')).toEqual(there.all('queue_joined')[0]);
    const bob = await (await thaw.visitor(1, 'male')).arrive();
    await bob.request('join_queue', {});
    for (const tab of [here, there, late]) await tab.next('chat_matched');
    const order = there.frames.map(({ event }) => event);
    expect(order.indexOf('queue_joined')).toBeLessThan(order.indexOf('chat_matched'));
    expect(here.all('queue_joined')).toEqual([]);
  });

  it('is over in every tab when it is over in one', async () => {
    const ada = await thaw.visitor(0, 'female');
    const [here, there] = [await ada.arrive(thaw.origins[0]), await ada.arrive(thaw.origins[1])];
    await here.request('join_queue', {});
    await there.next('queue_joined');
    await there.request('leave_queue', {});
    await here.next('queue_left');
    // The replica of the first tab looks after whoever searches there; it must not bring her back.
    for (const replica of [0, 1, 0, 1]) await seeker(replica).check();
    expect(seeker(0).size + seeker(1).size).toBe(0);
    expect(await record(ada.user.id)).toEqual({});
    expect(await queues()).toEqual([]);
  });

  it('goes on in the tab that is left, wherever it began', async () => {
    const ada = await thaw.visitor(0, 'female');
    const [here, there] = [await ada.arrive(thaw.origins[0]), await ada.arrive(thaw.origins[1])];
    await here.request('join_queue', {});
    await there.next('queue_joined');
    await until(() => seeker(1).size === 1);
    await here.leave();
    await until(() => seeker(0).size === 0);
    const bob = await (await thaw.visitor(0, 'male')).arrive();
    await bob.request('join_queue', {});
    await there.next('chat_matched');
  });

  it('ends with the last socket, even one that closes while it joins', async () => {
    const users = thaw.replicas[0]!.app.get(UsersService);
    const gender = users.gender.bind(users);
    const ada = await thaw.visitor(0, 'female');
    const socket = await ada.arrive();
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    let goOn: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (goOn = resolve));
    const join = jest.spyOn(seeker(0), 'join');
    jest.spyOn(users, 'gender').mockImplementationOnce(async (userId) => {
      asked();
      await gone;
      return gender(userId);
    });
    socket.send({ event: 'join_queue', data: {} });
    await isAsked;
    await socket.leave();
    await until(async () => (await thaw.store.keys(`{p*}:sockets:${ada.user.id}`)).length === 0);
    goOn();
    await until(() => join.mock.results.length);
    await join.mock.results[0]?.value;
    await until(async () => !(await queues()).includes(String(ada.user.id)), Boolean, 2_000);
    expect(seeker(0).size).toBe(0);
    expect(await thaw.store.redis.pttl(matchingKeys.user(ada.user.id))).toBeGreaterThan(0);
  });

  it('brings two together again who both wait, once the cool-down gives way', async () => {
    const [ada, bob] = [await thaw.visitor(0, 'female'), await thaw.visitor(1, 'male')];
    const [first, second] = [await ada.arrive(), await bob.arrive()];
    await first.request('join_queue', {});
    await second.request('join_queue', {});
    const { sessionId } = await first.take('chat_matched');
    await second.take('chat_matched');
    await first.request('skip_chat', { sessionId: String(sessionId) });
    await second.next('chat_skipped');
    await Promise.all([first.request('join_queue', {}), second.request('join_queue', {})]);
    expect(await queues()).toHaveLength(2);
    const again = await first.next('chat_matched');
    expect(again).toMatchObject({ partnerId: bob.user.id });
    expect(again.sessionId).not.toBe(sessionId);
    await second.next('chat_matched', (data) => data.sessionId === again.sessionId);
  });

  it('outlives a Redis that forgot everything', async () => {
    const ada = await thaw.visitor(0, 'female');
    const socket = await ada.arrive();
    await socket.request('join_queue', { preferences: 'male' });
    await thaw.store.flush();
    await until(async () => (await record(ada.user.id)).s === 'searching');
    expect(await record(ada.user.id)).toMatchObject({ g: 'female', p: 'male' });
    const bob = await (await thaw.visitor(1, 'male')).arrive();
    await bob.request('join_queue', {});
    await socket.next('chat_matched');
  });

  it('keeps the place of whoever comes back on another replica', async () => {
    const ada = await thaw.visitor(0, 'female');
    const socket = await ada.arrive();
    await socket.request('join_queue', { preferences: 'male' });
    const { since } = await record(ada.user.id);
    await socket.cut();
    await until(async () => (await queues()).length === 0);
    const back = await ada.connect(thaw.origins[1]);
    const answer = await back.ask('authenticate', { userId: ada.user.id });
    expect(answer.data).toEqual({ userId: ada.user.id, state: 'searching' });
    expect(await back.next('queue_joined')).toEqual({
      preferences: 'male',
      since: new Date(Number(since)).toISOString(),
    });
    expect(await queues()).toEqual([String(ada.user.id)]);
  });
});
