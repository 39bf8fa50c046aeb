// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { RateLimiterService } from '../../platform/rate-limit/rate-limiter.service';
import { recordPastChat as haveMet } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { matchNewVisitors, type ThawSocket, ThawVisitor } from '../../testing/thaw.client';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const ROUNDS = isLongRun ? 1_000 : 50;
const ROUNDS_OF_A_PAIR = 50;

jest.setTimeout(isLongRun ? 1_800_000 : 90_000);

const DAY_MS = 24 * 60 * 60_000;

describe('friends across two replicas', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());

  const recordChat = (ada: ThawVisitor, bob: ThawVisitor, agoMs?: number): Promise<void> =>
    haveMet(stack.replicas[0]!, ada, bob, agoMs);
  const createPartners = async (): Promise<{ ada: ThawVisitor; bob: ThawVisitor }> => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    await recordChat(ada, bob);
    return { ada, bob };
  };
  const sendRequest = (from: ThawVisitor, to: ThawVisitor, requesterId = from.user.id) =>
    from.call('POST', '/api/friends/request', { requesterId, addresseeId: to.user.id });
  const answerRequest = (caller: ThawVisitor, requestId: unknown, status: string) =>
    caller.call('PUT', `/api/friends/request/${String(requestId)}`, { status });
  const removeFriend = (caller: ThawVisitor, friend: ThawVisitor) =>
    caller.call('DELETE', `/api/friends/${caller.user.id}/${friend.user.id}`);
  const readFriends = async (caller: ThawVisitor): Promise<unknown> =>
    (await caller.call('GET', `/api/friends/${caller.user.id}`)).body;
  const readPendingRequests = async (caller: ThawVisitor): Promise<unknown> =>
    (await caller.call('GET', `/api/friends/requests/${caller.user.id}`)).body;
  const befriend = async (ada: ThawVisitor, bob: ThawVisitor): Promise<number> => {
    const { body } = await sendRequest(ada, bob);
    expect(await answerRequest(bob, body.id, 'accepted')).toMatchObject({ status: 200 });
    return Number(body.id);
  };
  const toFriendEntry = ({ user: { id, username, avatar } }: ThawVisitor) => ({ id, username, avatar });

  it('allows a request as soon as a chat has ended, before a worker has written it to the history', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[1]!,
    ]);
    await adaSocket.request('skip_chat', { sessionId });
    await bobSocket.next('chat_skipped');
    expect(await sendRequest(bob, ada)).toMatchObject({ status: 201 });
  });

  it('makes two users friends by a request and its answer, and notifies both at once', async () => {
    const { ada, bob } = await createPartners();
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    const sent = await sendRequest(ada, bob);
    const request = {
      id: expect.any(Number),
      requesterId: ada.user.id,
      addresseeId: bob.user.id,
      status: 'pending',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect(sent).toMatchObject({ status: 201, body: request });
    const { id, createdAt } = sent.body;
    expect(await bobSocket.next('friend_request')).toEqual({
      id,
      requesterId: ada.user.id,
      requester: toFriendEntry(ada),
      createdAt,
    });
    expect(await readPendingRequests(bob)).toEqual([sent.body]);
    expect(await readPendingRequests(ada)).toEqual([]);
    expect(await readFriends(ada)).toEqual([]);
    expect((await bob.call('GET', `/api/user/${ada.user.id}`)).status).toBe(200);

    expect(await sendRequest(ada, bob)).toMatchObject({ status: 200, body: sent.body });
    expect(await answerRequest(bob, id, 'accepted')).toMatchObject({
      status: 200,
      body: { ...sent.body, status: 'accepted' },
    });
    expect(await answerRequest(bob, id, 'accepted')).toMatchObject({ status: 200 });
    expect(await answerRequest(bob, id, 'declined')).toMatchObject({
      status: 409,
      body: { code: 'already_answered' },
    });
    expect(await adaSocket.next('friendship_accepted')).toEqual({
      requestId: id,
      friend: { ...toFriendEntry(bob), isOnline: true },
    });
    expect(await bobSocket.next('friendship_accepted')).toEqual({
      requestId: id,
      friend: { ...toFriendEntry(ada), isOnline: true },
    });
    expect(await readFriends(ada)).toEqual([{ ...toFriendEntry(bob), isOnline: true, lastMessage: null }]);
    expect(await readFriends(bob)).toEqual([{ ...toFriendEntry(ada), isOnline: true, lastMessage: null }]);
    expect(await readPendingRequests(bob)).toEqual([]);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 409, body: { code: 'already_friends' } });

    expect((await removeFriend(bob, ada)).status).toBe(204);
    const removal = { removedFriendId: ada.user.id, removedBy: bob.user.id };
    expect(await adaSocket.next('friendship_removed')).toEqual(removal);
    expect(await bobSocket.next('friendship_removed')).toEqual(removal);
    expect(await removeFriend(bob, ada)).toMatchObject({ status: 404 });
    expect(await readFriends(ada)).toEqual([]);
    for (const socket of [adaSocket, bobSocket]) expect(socket.all('friendship_accepted')).toHaveLength(1);
    expect(bobSocket.all('friend_request')).toHaveLength(1);
    await Promise.all([adaSocket.leave(), bobSocket.leave()]);
  });

  it('requires a common chat within the last 30 days', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await recordChat(ada, bob, 31 * DAY_MS);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 404 });
    await recordChat(ada, bob, 29 * DAY_MS);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 201 });
    expect(await sendRequest(ada, ada)).toMatchObject({ status: 404 });
  });

  it('allows requests between partners of a running chat', async () => {
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    const sockets: ThawSocket[] = [await ada.openSocket(), await bob.openSocket()];
    for (const socket of sockets) await socket.request('join_queue', {});
    for (const socket of sockets) await socket.next('chat_matched');
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 201 });
    expect((await ada.call('GET', `/api/user/${bob.user.id}`)).body).toMatchObject({ isOnline: true });
    await Promise.all(sockets.map((socket) => socket.leave()));
  });

  it('lets no other user request, answer, list or remove on behalf of the two', async () => {
    const { ada, bob } = await createPartners();
    const eve = await stack.createVisitor(0);
    const { body } = await sendRequest(ada, bob);
    expect(await sendRequest(eve, bob, ada.user.id)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    for (const caller of [ada, eve])
      expect(await answerRequest(caller, body.id, 'accepted')).toMatchObject({ status: 404 });
    expect(await answerRequest(bob, body.id, 'perhaps')).toMatchObject({ status: 400 });
    expect(await eve.call('GET', `/api/friends/${ada.user.id}`)).toMatchObject({ status: 403 });
    expect(await eve.call('GET', `/api/friends/requests/${bob.user.id}`)).toMatchObject({ status: 403 });
    expect(await eve.call('DELETE', `/api/friends/${ada.user.id}/${bob.user.id}`)).toMatchObject({
      status: 403,
    });
  });

  it('hides repeated requests for a day after a decline, in that direction only', async () => {
    const { ada, bob } = await createPartners();
    const bobSocket = await bob.openSocket();
    const first = await sendRequest(ada, bob);
    expect(await answerRequest(bob, first.body.id, 'declined')).toMatchObject({
      body: { status: 'declined' },
    });
    const second = await sendRequest(ada, bob);
    expect(second).toMatchObject({ status: 201, body: { status: 'pending' } });
    expect(second.body.id).not.toBe(first.body.id);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 200, body: second.body });
    expect(await readPendingRequests(bob)).toEqual([]);
    expect(await answerRequest(bob, second.body.id, 'accepted')).toMatchObject({ status: 404 });
    expect(await sendRequest(bob, ada)).toMatchObject({ status: 200, body: { status: 'accepted' } });
    await bobSocket.next('friendship_accepted');
    expect(bobSocket.all('friend_request')).toHaveLength(1);
    await bobSocket.leave();
  });

  it('publishes a new name at once to the friends and all pages of the user', async () => {
    const { ada, bob } = await createPartners();
    const eve = await stack.createVisitor(1);
    await befriend(ada, bob);
    const sockets = [await ada.openSocket(), await bob.openSocket(), await eve.openSocket()];
    const rename = (username: string) =>
      ada.call('PUT', `/api/user/${ada.user.id}`, { username, avatar: null });
    expect((await rename('Ada again')).status).toBe(200);
    expect((await rename('Ada again')).status).toBe(200);
    const user = { id: ada.user.id, username: 'Ada again', avatar: null };
    for (const socket of sockets.slice(0, 2)) {
      expect(await socket.next('profile_updated')).toEqual({ user });
      expect(socket.all('profile_updated')).toHaveLength(1);
    }
    expect(sockets[2]!.all('profile_updated')).toEqual([]);
    await Promise.all(sockets.map((socket) => socket.leave()));
  });

  it('limits requests to 20 a day, not counting repeated ones', async () => {
    const strict = await stack.addReplica({ LIMITS_PROFILE: 'default' });
    const ada = await new ThawVisitor([strict.origin]).joinAnonymously();
    const others = [await stack.createVisitor(0), await stack.createVisitor(0)];
    for (const other of others) await recordChat(ada, other);
    await strict.app.get(RateLimiterService).require('friend_requests', ada.user.id, 19);
    expect(await sendRequest(ada, others[0]!)).toMatchObject({ status: 201 });
    expect(await sendRequest(ada, others[1]!)).toMatchObject({ status: 429 });
    await strict.app.get(RateLimiterService).refund('friend_requests', ada.user.id);
    for (let again = 0; again < 3; again += 1)
      expect(await sendRequest(ada, others[0]!)).toMatchObject({ status: 200 });
    await strict.stop();
  });

  it('creates one friendship when twenty acceptances arrive at once', async () => {
    const { ada, bob } = await createPartners();
    const bobElsewhere = Object.assign(new ThawVisitor([stack.origins[0]!]), { user: bob.user });
    const { body } = await sendRequest(ada, bob);
    const sockets = [await ada.openSocket(), await bob.openSocket()];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? bob : bobElsewhere).call(
          'PUT',
          `/api/friends/request/${String(body.id)}`,
          { status: 'accepted' },
          { cookie: bob.cookie },
        ),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await readFriends(ada)).toHaveLength(1);
    for (const socket of sockets) {
      await socket.next('friendship_accepted');
      await socket.request('leave_queue', {});
      expect(socket.all('friendship_accepted')).toHaveLength(1);
      await socket.leave();
    }
  });

  it(`keeps at most one friendship or request when commands cross (${ROUNDS} times)`, async () => {
    for (let round = 0; round < ROUNDS; round += ROUNDS_OF_A_PAIR) await crossManyTimes();
  });

  const crossManyTimes = async (): Promise<void> => {
    const { ada, bob } = await createPartners();
    const stream = `friendship-${Math.min(ada.user.id, bob.user.id)}-${Math.max(ada.user.id, bob.user.id)}`;
    const { app } = stack.replicas[0]!;
    for (let round = 0; round < ROUNDS_OF_A_PAIR; round += 1) {
      const results = await Promise.all([
        sendRequest(ada, bob),
        sendRequest(bob, ada),
        ...(round % 2 === 0 ? [removeFriend(ada, bob), removeFriend(bob, ada)] : []),
        ...(round % 3 === 0 ? [sendRequest(ada, bob), sendRequest(bob, ada)] : []),
      ]);
      for (const { status, body } of results) {
        expect({ status, body, isKnown: [200, 201, 204, 404, 409].includes(status) }).toMatchObject({
          isKnown: true,
        });
      }
      const [row] = await stack.database.dataSource.query<{ friends: number; pending: number }[]>(
        `SELECT (SELECT count(*)::int FROM friendships WHERE low_id = LEAST($1::bigint, $2) AND high_id = GREATEST($1::bigint, $2)) AS friends,
                (SELECT count(*)::int FROM friend_requests WHERE status = 'pending' AND requester_id IN ($1, $2)) AS pending`,
        [ada.user.id, bob.user.id],
      );
      expect(row!.friends + row!.pending).toBeLessThanOrEqual(1);
      if (round % 2 === 1) {
        // Without a removal, the two crossing requests make a friendship.
        expect(row).toEqual({ friends: 1, pending: 0 });
        expect((await removeFriend(ada, bob)).status).toBe(204);
      }
    }
    let areFriends = false;
    for (const { type } of await app.get(EventStoreRepository).read(stream)) {
      if (type === 'FriendRequestAccepted') expect(areFriends).toBe(false);
      if (type === 'FriendshipRemoved') expect(areFriends).toBe(true);
      if (type === 'FriendRequestAccepted') areFriends = true;
      if (type === 'FriendshipRemoved') areFriends = false;
    }
  };

  it('restores the same rows in a rebuild of the read models', async () => {
    const { ada, bob } = await createPartners();
    await befriend(ada, bob);
    const readRows = async () => ({
      requests: await stack.database.dataSource.query('SELECT * FROM friend_requests ORDER BY id'),
      friendships: await stack.database.dataSource.query(
        'SELECT * FROM friendships ORDER BY low_id, high_id',
      ),
    });
    const before = await readRows();
    expect(before.friendships.length).toBeGreaterThan(1);
    await stack.database.dataSource.query('DELETE FROM friendships');
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    expect(await readRows()).toEqual(before);
  });
});
