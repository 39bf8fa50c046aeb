// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { RateLimiterService } from '../../platform/rate-limit/rate-limiter.service';
import { recordPastChat } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { matchNewVisitors, type ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { buildFriendshipStreamId } from './domain/friendship.events';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const ROUNDS = isLongRun ? 1_000 : 50;
/** Number of rounds with the same pair of users, after which a new pair is created. */
const ROUNDS_PER_PAIR = 50;

jest.setTimeout(isLongRun ? 1_800_000 : 90_000);

const DAY_MS = 24 * 60 * 60_000;

describe('friends across two replicas', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());

  const recordChat = (ada: ThawVisitor, bob: ThawVisitor, agoMs?: number): Promise<void> =>
    recordPastChat(stack.replicas[0]!, ada, bob, agoMs);
  /** Signs up two users who have chatted with each other, so that they can send friend requests. */
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
  const befriend = async (ada: ThawVisitor, bob: ThawVisitor): Promise<void> => {
    const { body } = await sendRequest(ada, bob);
    expect(await answerRequest(bob, body.id, 'accepted')).toMatchObject({ status: 200 });
  };
  const toProfile = ({ user: { id, username, avatar } }: ThawVisitor) => ({ id, username, avatar });

  it('allows a request as soon as a chat has ended, before a worker has written it to the history', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[1]!,
    ]);
    // No worker runs in this test, so the chat never reaches the history.
    await adaSocket.request('skip_chat', { sessionId });
    await bobSocket.next('chat_skipped');
    expect(await sendRequest(bob, ada)).toMatchObject({ status: 201 });
  });

  it('begins a friendship by an acceptance, which notifies both users once, and ends it by a removal', async () => {
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
      requester: toProfile(ada),
      createdAt,
    });
    expect(await readPendingRequests(bob)).toEqual([sent.body]);
    expect(await readPendingRequests(ada)).toEqual([]);
    expect(await readFriends(ada)).toEqual([]);
    // Users who have chatted with each other may read each other's profile.
    expect((await bob.call('GET', `/api/user/${ada.user.id}`)).status).toBe(200);

    // A repeated request creates nothing: the response is 200 instead of 201, with the pending request.
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
      friend: { ...toProfile(bob), isOnline: true },
    });
    expect(await bobSocket.next('friendship_accepted')).toEqual({
      requestId: id,
      friend: { ...toProfile(ada), isOnline: true },
    });
    expect(await readFriends(ada)).toEqual([{ ...toProfile(bob), isOnline: true, lastMessage: null }]);
    expect(await readFriends(bob)).toEqual([{ ...toProfile(ada), isOnline: true, lastMessage: null }]);
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
    await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
  });

  it('requires a common chat within the last 30 days for a request', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await recordChat(ada, bob, 31 * DAY_MS);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 404 });
    await recordChat(ada, bob, 29 * DAY_MS);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 201 });
  });

  it('refuses a request to oneself', async () => {
    const ada = await stack.createVisitor(0);
    expect(await sendRequest(ada, ada)).toMatchObject({ status: 404 });
  });

  it('allows a request to the partner in a running chat, and shows the partner as online', async () => {
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    const sockets: ThawSocket[] = [await ada.openSocket(), await bob.openSocket()];
    for (const socket of sockets) await socket.request('join_queue', {});
    for (const socket of sockets) await socket.next('chat_matched');
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 201 });
    expect((await ada.call('GET', `/api/user/${bob.user.id}`)).body).toMatchObject({ isOnline: true });
    await Promise.all(sockets.map((socket) => socket.closeCleanly()));
  });

  it('refuses to request, answer, list or remove in the name of another user', async () => {
    const { ada, bob } = await createPartners();
    const eve = await stack.createVisitor(0);
    const { body } = await sendRequest(ada, bob);
    // Eve sends a request in Ada's name.
    expect(await sendRequest(eve, bob, ada.user.id)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    // Ada is the requester, so only Bob may answer.
    for (const caller of [ada, eve])
      expect(await answerRequest(caller, body.id, 'accepted')).toMatchObject({ status: 404 });
    expect(await eve.call('GET', `/api/friends/${ada.user.id}`)).toMatchObject({ status: 403 });
    expect(await eve.call('GET', `/api/friends/requests/${bob.user.id}`)).toMatchObject({ status: 403 });
    expect(await eve.call('DELETE', `/api/friends/${ada.user.id}/${bob.user.id}`)).toMatchObject({
      status: 403,
    });
  });

  it('rejects an answer that is neither an acceptance nor a decline', async () => {
    const { ada, bob } = await createPartners();
    const { body } = await sendRequest(ada, bob);
    expect(await answerRequest(bob, body.id, 'perhaps')).toMatchObject({ status: 400 });
  });

  it("hides a further request after a decline, until the addressee's own request accepts it", async () => {
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
    // Bob's own request accepts the hidden one.
    expect(await sendRequest(bob, ada)).toMatchObject({ status: 200, body: { status: 'accepted' } });
    await bobSocket.next('friendship_accepted');
    expect(bobSocket.all('friend_request')).toHaveLength(1); // the first request
    await bobSocket.closeCleanly();
  });

  it("publishes a new name at once to the user's friends and to the user's own page", async () => {
    const { ada, bob } = await createPartners();
    const eve = await stack.createVisitor(1);
    await befriend(ada, bob);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    const eveSocket = await eve.openSocket();
    const rename = (username: string) =>
      ada.call('PUT', `/api/user/${ada.user.id}`, { username, avatar: null });
    expect((await rename('Ada again')).status).toBe(200);
    expect((await rename('Ada again')).status).toBe(200); // changes nothing, so it is not published
    const user = { id: ada.user.id, username: 'Ada again', avatar: null };
    for (const socket of [adaSocket, bobSocket]) {
      expect(await socket.next('profile_updated')).toEqual({ user });
      expect(socket.all('profile_updated')).toHaveLength(1);
    }
    expect(eveSocket.all('profile_updated')).toEqual([]);
    await Promise.all([adaSocket, bobSocket, eveSocket].map((socket) => socket.closeCleanly()));
  });

  it('limits requests to 20 a day, not counting repeated ones', async () => {
    const requestsPerDay = 20;
    // The other replicas have the rate limits of load tests, which are too high to be reached here.
    const limitedReplica = await stack.addReplica({ LIMITS_PROFILE: 'default' });
    const limiter = limitedReplica.app.get(RateLimiterService);
    const ada = await new ThawVisitor([limitedReplica.origin]).joinAnonymously();
    const [bob, eve] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    for (const other of [bob, eve]) await recordChat(ada, other);
    // Uses up all requests of the day but one.
    await limiter.require('friend_requests', ada.user.id, requestsPerDay - 1);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 201 });
    expect(await sendRequest(ada, eve)).toMatchObject({ status: 429 });
    await limiter.refund('friend_requests', ada.user.id);
    // The refund leaves one request, which three repetitions do not use up.
    for (let count = 0; count < 3; count += 1)
      expect(await sendRequest(ada, bob)).toMatchObject({ status: 200 });
    await limitedReplica.stop();
  });

  it('creates one friendship when twenty acceptances arrive at once', async () => {
    const acceptanceCount = 20;
    const { ada, bob } = await createPartners();
    // A client of the other replica. It is not signed in, so its calls pass Bob's cookie.
    const bobOnOtherReplica = new ThawVisitor([stack.origins[0]!]);
    const { body } = await sendRequest(ada, bob);
    const sockets = [await ada.openSocket(), await bob.openSocket()];
    const responses = await Promise.all(
      Array.from({ length: acceptanceCount }, (_, index) =>
        (index % 2 === 0 ? bob : bobOnOtherReplica).call(
          'PUT',
          `/api/friends/request/${String(body.id)}`,
          { status: 'accepted' },
          { cookie: bob.cookie },
        ),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(acceptanceCount).fill(200));
    expect(await readFriends(ada)).toHaveLength(1);
    for (const socket of sockets) {
      await socket.next('friendship_accepted');
      // Frames arrive in order, so a second `friendship_accepted` would arrive before this answer.
      await socket.request('leave_queue', {});
      expect(socket.all('friendship_accepted')).toHaveLength(1);
      await socket.closeCleanly();
    }
  });

  it(`leaves at most one friendship or request after each of ${ROUNDS} rounds of concurrent commands`, async () => {
    for (let round = 0; round < ROUNDS; round += ROUNDS_PER_PAIR) await runRoundsWithNewPair();
  });

  /** Sends requests and removals of two new users at the same time, `ROUNDS_PER_PAIR` times. */
  const runRoundsWithNewPair = async (): Promise<void> => {
    const { ada, bob } = await createPartners();
    const { app } = stack.replicas[0]!;
    for (let round = 0; round < ROUNDS_PER_PAIR; round += 1) {
      // Different periods, so that every combination of the two occurs.
      const hasRemovals = round % 2 === 0;
      const hasRepeatedRequests = round % 3 === 0;
      const results = await Promise.all([
        sendRequest(ada, bob),
        sendRequest(bob, ada),
        ...(hasRemovals ? [removeFriend(ada, bob), removeFriend(bob, ada)] : []),
        ...(hasRepeatedRequests ? [sendRequest(ada, bob), sendRequest(bob, ada)] : []),
      ]);
      for (const { status, body } of results) {
        // `status` and `body` are only part of the object so that a failure shows them.
        const isExpected = [200, 201, 204, 404, 409].includes(status);
        expect({ status, body, isExpected }).toMatchObject({ isExpected: true });
      }
      const [row] = await stack.database.dataSource.query<{ friends: number; pending: number }[]>(
        `SELECT (SELECT count(*)::int FROM friendships
                  WHERE low_id = LEAST($1::bigint, $2) AND high_id = GREATEST($1::bigint, $2)) AS friends,
                (SELECT count(*)::int FROM friend_requests
                  WHERE status = 'pending' AND requester_id IN ($1, $2)) AS pending`,
        [ada.user.id, bob.user.id],
      );
      expect(row!.friends + row!.pending).toBeLessThanOrEqual(1);
      if (!hasRemovals) {
        // Requests in both directions make a friendship.
        expect(row).toEqual({ friends: 1, pending: 0 });
        expect((await removeFriend(ada, bob)).status).toBe(204);
      }
    }
    // Friendships begin and end alternately in the stream.
    let areFriends = false;
    const streamId = buildFriendshipStreamId(ada.user.id, bob.user.id);
    for (const { type } of await app.get(EventStoreRepository).read(streamId)) {
      if (type !== 'FriendRequestAccepted' && type !== 'FriendshipRemoved') continue;
      expect(areFriends).toBe(type === 'FriendshipRemoved');
      areFriends = !areFriends;
    }
  };

  it('restores deleted friendships in a rebuild of the read models, and leaves the requests as they were', async () => {
    const { ada, bob } = await createPartners();
    await befriend(ada, bob);
    const readRows = async () => ({
      requests: await stack.database.dataSource.query('SELECT * FROM friend_requests ORDER BY id'),
      friendships: await stack.database.dataSource.query(
        'SELECT * FROM friendships ORDER BY low_id, high_id',
      ),
    });
    const rowsBefore = await readRows();
    expect(rowsBefore.friendships.length).toBeGreaterThan(0);
    await stack.database.dataSource.query('DELETE FROM friendships');
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    expect(await readRows()).toEqual(rowsBefore);
  });
});
