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
  const createPartnersWithSockets = async () => {
    const { ada, bob } = await createPartners();
    return { ada, bob, adaSocket: await ada.openSocket(), bobSocket: await bob.openSocket() };
  };
  const sendRequest = (from: ThawVisitor, to: ThawVisitor) =>
    from.call('POST', '/api/friends/request', { requesterId: from.user.id, addresseeId: to.user.id });
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

  it('sends a request to its addressee, and creates nothing when the request is repeated', async () => {
    const { ada, bob } = await createPartners();
    const bobSocket = await bob.openSocket();
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

    // The response is 200 instead of 201, with the pending request.
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 200, body: sent.body });
    // Frames to a user arrive in order, so a second `friend_request` would arrive before `friendship_accepted`.
    expect(await answerRequest(bob, id, 'accepted')).toMatchObject({ status: 200 });
    await bobSocket.next('friendship_accepted');
    expect(bobSocket.all('friend_request')).toHaveLength(1);
    await bobSocket.closeCleanly();
  });

  it('begins a friendship when the addressee accepts, notifies both once, and keeps the first answer', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createPartnersWithSockets();
    const sent = await sendRequest(ada, bob);
    const { id } = sent.body;
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
    // Frames to a user arrive in order, so a second `friendship_accepted` would arrive before `friendship_removed`.
    expect((await removeFriend(bob, ada)).status).toBe(204);
    for (const socket of [adaSocket, bobSocket]) {
      await socket.next('friendship_removed');
      expect(socket.all('friendship_accepted')).toHaveLength(1);
    }
    await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
  });

  it('ends a friendship when one of the friends removes the other, and notifies both', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createPartnersWithSockets();
    await befriend(ada, bob);
    expect((await removeFriend(bob, ada)).status).toBe(204);
    const removal = { removedFriendId: ada.user.id, removedBy: bob.user.id };
    expect(await adaSocket.next('friendship_removed')).toEqual(removal);
    expect(await bobSocket.next('friendship_removed')).toEqual(removal);
    expect(await removeFriend(bob, ada)).toMatchObject({ status: 404 });
    expect(await readFriends(ada)).toEqual([]);
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
    const requestInAdasName = { requesterId: ada.user.id, addresseeId: bob.user.id };
    expect(await eve.call('POST', '/api/friends/request', requestInAdasName)).toMatchObject({
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
    // Leaves one request of the day.
    await limiter.require('friend_requests', ada.user.id, requestsPerDay - 1);
    expect(await sendRequest(ada, bob)).toMatchObject({ status: 201 });
    expect(await sendRequest(ada, eve)).toMatchObject({ status: 429 });
    // Leaves one request again, which repeated requests do not use up.
    await limiter.refund('friend_requests', ada.user.id);
    for (let count = 0; count < 3; count += 1)
      expect(await sendRequest(ada, bob)).toMatchObject({ status: 200 });
    await limitedReplica.stop();
  });

  it('creates one friendship when twenty acceptances arrive at once', async () => {
    const acceptancesPerReplica = 10;
    const { ada, bob, adaSocket, bobSocket } = await createPartnersWithSockets();
    const { body } = await sendRequest(ada, bob);
    // Bob's clients, one on each replica. They are not signed in, so they send Bob's cookie.
    const clients = stack.origins.slice(0, 2).map((origin) => new ThawVisitor([origin]));
    const path = `/api/friends/request/${String(body.id)}`;
    const acceptOn = (client: ThawVisitor) =>
      client.call('PUT', path, { status: 'accepted' }, { cookie: bob.cookie });
    const acceptances = Array.from({ length: acceptancesPerReplica }, () => clients.map(acceptOn)).flat();
    const statuses = (await Promise.all(acceptances)).map(({ status }) => status);
    expect(statuses).toEqual(Array(2 * acceptancesPerReplica).fill(200));
    expect(await readFriends(ada)).toHaveLength(1);
    for (const socket of [adaSocket, bobSocket]) {
      await socket.next('friendship_accepted');
      // Frames arrive in order, so a second `friendship_accepted` would arrive before this answer.
      await socket.request('leave_queue', {});
      expect(socket.all('friendship_accepted')).toHaveLength(1);
      await socket.closeCleanly();
    }
  });

  /** Sends requests in both directions at once and, depending on the round, removals and further requests. */
  const runRound = async (round: number, ada: ThawVisitor, bob: ThawVisitor): Promise<void> => {
    // Every second and every third round, so that all combinations occur.
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
    const counts = await countFriendshipsAndRequests(ada, bob);
    expect(counts.friends + counts.pending).toBeLessThanOrEqual(1);
    if (hasRemovals) return;
    // Requests in both directions make a friendship.
    expect(counts).toEqual({ friends: 1, pending: 0 });
    expect((await removeFriend(ada, bob)).status).toBe(204);
  };
  const countFriendshipsAndRequests = async (ada: ThawVisitor, bob: ThawVisitor) => {
    const [counts] = await stack.database.dataSource.query<{ friends: number; pending: number }[]>(
      `SELECT (SELECT count(*)::int FROM friendships
                WHERE low_id = LEAST($1::bigint, $2) AND high_id = GREATEST($1::bigint, $2)) AS friends,
              (SELECT count(*)::int FROM friend_requests
                WHERE status = 'pending' AND requester_id IN ($1, $2)) AS pending`,
      [ada.user.id, bob.user.id],
    );
    return counts!;
  };
  /** Checks that friendships of the two begin and end alternately in their stream. */
  const expectAlternatingEvents = async (ada: ThawVisitor, bob: ThawVisitor): Promise<void> => {
    const streamId = buildFriendshipStreamId(ada.user.id, bob.user.id);
    let areFriends = false;
    for (const { type } of await stack.replicas[0]!.app.get(EventStoreRepository).read(streamId)) {
      if (type !== 'FriendRequestAccepted' && type !== 'FriendshipRemoved') continue;
      expect(areFriends).toBe(type === 'FriendshipRemoved');
      areFriends = !areFriends;
    }
  };

  it(`leaves at most one friendship or request after each of ${ROUNDS} rounds of concurrent commands`, async () => {
    for (let pairNumber = 0; pairNumber < ROUNDS / ROUNDS_PER_PAIR; pairNumber += 1) {
      const { ada, bob } = await createPartners();
      for (let round = 0; round < ROUNDS_PER_PAIR; round += 1) await runRound(round, ada, bob);
      await expectAlternatingEvents(ada, bob);
    }
  });

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
