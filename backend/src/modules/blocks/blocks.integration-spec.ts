// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. In most tests Ada blocks Bob.
import { limits } from '@thaw/contract/limits';
import type { UploadBucket } from '@thaw/contract/uploads';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { matchingKeys } from '../../platform/redis/redis.keys';
import { createPlainJpeg } from '../../testing/image-corpus.fixture';
import { makeFriends, recordPastChat } from '../../testing/relationship.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { matchNewVisitors, textMessage, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { MatchQueueService } from '../matching/application/match-queue.service';
import { BLOCKED } from '../matching/infrastructure/match-record.scripts';
import { UploadsService } from '../uploads/application/uploads.service';
import { BlockListService } from './application/block-list.service';

jest.setTimeout(60_000);

/** Ids above Ada's id plus this offset belong to no user. */
const MISSING_USERS_OFFSET = 1_000_000;
/** How long a replica uses a list of excluded users before it reads the list again. */
const EXCLUSIONS_TTL_MS = 30 * 60_000;

describe('blocks across two replicas', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  /** Signs up two users who have chatted with each other, so that they can block each other. */
  const createPartners = async (): Promise<{ ada: ThawVisitor; bob: ThawVisitor }> => {
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    await recordPastChat(stack.replicas[0]!, ada, bob);
    return { ada, bob };
  };
  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  const block = (blocker: ThawVisitor, blocked: { user: { id: number } }) =>
    blocker.call('POST', '/api/blocks', { blockerId: blocker.user.id, blockedId: blocked.user.id });
  const unblock = (blocker: ThawVisitor, blocked: ThawVisitor) =>
    blocker.call('DELETE', `/api/blocks/${blocker.user.id}/${blocked.user.id}`);
  const readBlocks = async (caller: ThawVisitor): Promise<unknown> =>
    (await caller.call('GET', `/api/blocks/${caller.user.id}`)).body;
  const sendFriendRequest = (from: ThawVisitor, to: ThawVisitor) =>
    from.call('POST', '/api/friends/request', { requesterId: from.user.id, addresseeId: to.user.id });
  const readProfileStatus = async (viewer: ThawVisitor, owner: ThawVisitor): Promise<number> =>
    (await viewer.call('GET', `/api/user/${owner.user.id}`)).status;
  /** The state of each user in the queue; `nowhere` for a user who is neither searching nor in a chat. */
  const readStates = async (...users: ThawVisitor[]) => {
    const records = await stack.replicas[0]!.app.get(MatchQueueService).readRecords(
      users.map(({ user }) => user.id),
    );
    return records.map((record) => record?.state ?? 'nowhere');
  };

  describe('the list of blocked users', () => {
    it('has each blocked user once, newest first, until the user is unblocked', async () => {
      const { ada, bob } = await createPartners();
      const eve = await stack.createVisitor(1);
      await recordPastChat(stack.replicas[0]!, ada, eve);
      const response = await block(ada, bob);
      expect(response).toMatchObject({
        status: 201,
        body: { blockedId: bob.user.id, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      });
      const blockOfBob = response.body;
      expect(await block(ada, bob)).toMatchObject({ status: 200, body: blockOfBob });
      const { body: blockOfEve } = await block(ada, eve);
      const toProfileFields = ({ user: { username, avatar } }: ThawVisitor) => ({ username, avatar });
      expect(await readBlocks(ada)).toEqual([
        { ...blockOfEve, ...toProfileFields(eve) },
        { ...blockOfBob, ...toProfileFields(bob) },
      ]);
      expect(await readBlocks(bob)).toEqual([]);
      expect(await unblock(ada, eve)).toMatchObject({ status: 204 });
      expect(await unblock(ada, eve)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await readBlocks(ada)).toEqual([{ ...blockOfBob, ...toProfileFields(bob) }]);
    });

    it('refuses the blocker, a user who does not exist, and a user whom the blocker has never met', async () => {
      const { ada } = await createPartners();
      const stranger = await stack.createVisitor(1);
      const missingUser = { user: { id: Number.MAX_SAFE_INTEGER } };
      for (const other of [ada, stranger, missingUser])
        expect(await block(ada, other)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await readBlocks(ada)).toEqual([]);
    });

    it('has a maximum length, even if two calls compete for the last place', async () => {
      const { ada, bob } = await createPartners();
      const eve = await stack.createVisitor(1);
      await recordPastChat(stack.replicas[0]!, ada, eve);
      await stack.database.dataSource.query(
        `INSERT INTO blocks (blocker_id, blocked_id, created_at)
         SELECT $1::bigint, $1::bigint + ${MISSING_USERS_OFFSET} + number, now()
         FROM generate_series(1, $2::int) AS number`,
        [ada.user.id, limits.blockedUsersMax - 1],
      );
      const responses = await Promise.all([block(ada, bob), block(ada, eve)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(responses.find(({ status }) => status === 409)?.body.code).toBe('limit_reached');
      // These rows have no events, so the rebuild in another test would not restore them.
      await stack.database.dataSource.query(
        `DELETE FROM blocks WHERE blocked_id > $1::bigint + ${MISSING_USERS_OFFSET}`,
        [ada.user.id],
      );
    });

    it('is the same after a rebuild of the read models', async () => {
      const { ada, bob } = await createPartners();
      expect((await block(ada, bob)).status).toBe(201);
      expect((await block(bob, ada)).status).toBe(201);
      expect((await unblock(bob, ada)).status).toBe(204);
      const readRows = () =>
        stack.database.dataSource.query<unknown[]>('SELECT * FROM blocks ORDER BY blocker_id, blocked_id');
      const rowsBefore = await readRows();
      expect(rowsBefore.length).toBeGreaterThan(0);
      await stack.database.dataSource.query('DELETE FROM blocks');
      await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
      expect(await readRows()).toEqual(rowsBefore);
    });
  });

  it('can be requested 60 times in a row, and the next request is refused', async () => {
    const allowedCalls = 60;
    // The other replicas have the rate limits of load tests, which are too high to be reached here.
    const { origin } = await stack.addReplica({ LIMITS_PROFILE: 'default' });
    const ada = await new ThawVisitor([origin]).joinAnonymously();
    const statuses: number[] = [];
    // A call that is answered with 404, because users cannot block themselves, counts as well.
    for (let count = 0; count <= allowedCalls; count += 1) statuses.push((await block(ada, ada)).status);
    expect(statuses).toEqual([...new Array<number>(allowedCalls).fill(404), 429]);
  });

  it('have event types that workers know, because a worker must be able to read every appended event', async () => {
    const worker = await stack.startWorker();
    const eventTypes = worker.app.get(EventTypeRegistry);
    for (const type of ['PersonBlocked', 'PersonUnblocked'])
      expect(eventTypes.knows({ type, schemaVersion: 1 })).toBe(true);
    await worker.stop();
  });

  it('end the running chat as a skip, and inform only the sockets of the blocker about the block', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
    const otherTab = await ada.openSocket(stack.origins[1]);
    expect((await block(ada, bob)).status).toBe(201);
    const skip = { sessionId, reason: 'skipped', endedBy: ada.user.id };
    for (const socket of [adaSocket, bobSocket])
      expect(await socket.next('chat_skipped')).toMatchObject(skip);
    for (const socket of [adaSocket, otherTab])
      expect(await socket.next('block_changed')).toEqual({ userId: bob.user.id, isBlocked: true });
    expect(await bobSocket.ask('random_message', textMessage(sessionId, 'hello?'))).toMatchObject({
      event: 'error',
    });
    expect(bobSocket.all('block_changed')).toEqual([]);
    expect(await readStates(ada, bob)).toEqual(['nowhere', 'nowhere']);
    expect((await unblock(ada, bob)).status).toBe(204);
    expect(await otherTab.next('block_changed', ({ isBlocked }) => isBlocked === false)).toEqual({
      userId: bob.user.id,
      isBlocked: false,
    });
    await Promise.all([adaSocket, bobSocket, otherTab].map((socket) => socket.closeCleanly()));
  });

  it('are completed by a repeated call if the earlier call died after its commit', async () => {
    const { ada, bob, adaSocket, bobSocket } = await startChat();
    // `separate` runs after the commit, and the end of the chat follows it.
    jest
      .spyOn(stack.replicas[0]!.app.get(MatchQueueService), 'separate')
      .mockRejectedValueOnce(new Error('killed'));
    expect((await block(ada, bob)).status).toBe(500);
    expect(await readStates(ada, bob)).toEqual(['chatting', 'chatting']);
    expect((await block(ada, bob)).status).toBe(200);
    expect(await readStates(ada, bob)).toEqual(['nowhere', 'nowhere']);
    await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
  });

  describe('friendship', () => {
    it('ends for both, with private messages, presence and typing, and is not restored by an unblock', async () => {
      const { ada, bob } = await createPartners();
      await makeFriends(stack.replicas[0]!, ada, bob);
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      expect((await block(ada, bob)).status).toBe(201);
      const removal = { removedFriendId: bob.user.id, removedBy: ada.user.id };
      for (const socket of [adaSocket, bobSocket])
        expect(await socket.next('friendship_removed')).toEqual(removal);
      const createMessage = (from: ThawVisitor, to: ThawVisitor) => ({
        senderId: from.user.id,
        receiverId: to.user.id,
        content: 'hi',
        messageType: 'text' as const,
      });
      const refusal = { event: 'error', data: { code: 'not_friends' } };
      expect(await adaSocket.ask('send_private_message', createMessage(ada, bob))).toMatchObject(refusal);
      expect(await bobSocket.ask('send_private_message', createMessage(bob, ada))).toMatchObject(refusal);
      expect(await bobSocket.ask('typing', { receiverId: ada.user.id })).toMatchObject(refusal);
      for (const caller of [ada, bob])
        expect((await caller.call('GET', `/api/friends/${caller.user.id}`)).body).toEqual([]);
      expect((await ada.call('GET', `/api/user/${bob.user.id}`)).body).toMatchObject({ isOnline: false });
      expect(bobSocket.all('block_changed')).toEqual([]);

      expect((await unblock(ada, bob)).status).toBe(204);
      expect((await ada.call('GET', `/api/friends/${ada.user.id}`)).body).toEqual([]);
      await makeFriends(stack.replicas[0]!, bob, ada); // throws if a request is refused
      await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
    });

    it('cannot be requested: a block voids requests of both users, and refuses new ones until unblocked', async () => {
      for (const isSentByBlocker of [true, false]) {
        const { ada, bob } = await createPartners();
        const [from, to] = isSentByBlocker ? [ada, bob] : [bob, ada];
        const { body } = await sendFriendRequest(from, to);
        expect((await block(ada, bob)).status).toBe(201);
        expect((await to.call('GET', `/api/friends/requests/${to.user.id}`)).body).toEqual([]);
        const answer = { status: 'accepted' };
        expect((await to.call('PUT', `/api/friends/request/${String(body.id)}`, answer)).status).toBe(404);
        for (const [requester, addressee] of [
          [ada, bob],
          [bob, ada],
        ] as const)
          expect(await sendFriendRequest(requester, addressee)).toMatchObject({
            status: 404,
            body: { code: 'not_found' },
          });
        expect((await unblock(ada, bob)).status).toBe(204);
        expect((await sendFriendRequest(bob, ada)).status).toBe(201);
      }
    });

    it('neither exists nor is requested after a block that competes with a request or an acceptance', async () => {
      // Many rounds, because the order in which the two calls commit varies.
      const rounds = 25;
      for (let round = 0; round < rounds; round += 1) {
        const { ada, bob } = await createPartners();
        // In every second round, Ada has sent Bob a request, which Bob's request accepts.
        if (round % 2 === 1) await sendFriendRequest(ada, bob);
        const [blockResponse] = await Promise.all([block(ada, bob), sendFriendRequest(bob, ada)]);
        expect(blockResponse.status).toBe(201);
        const { dataSource } = stack.database;
        const userIds = [ada.user.id, bob.user.id];
        const friendships = await dataSource.query<unknown[]>(
          'SELECT * FROM friendships WHERE low_id = ANY($1)',
          [userIds],
        );
        const pendingRequests = await dataSource.query<unknown[]>(
          `SELECT * FROM friend_requests WHERE requester_id = ANY($1) AND status = 'pending'`,
          [userIds],
        );
        expect(friendships).toEqual([]);
        expect(pendingRequests).toEqual([]);
      }
    });
  });

  it('hide the blocker from the blocked user, but not the blocked user from the blocker', async () => {
    const { ada, bob } = await createPartners();
    const uploads = stack.replicas[0]!.app.get(UploadsService);
    const upload = async (owner: ThawVisitor, bucket: UploadBucket): Promise<string> =>
      uploads.receive({ ownerId: owner.user.id, bucket, fileName: 'x', bytes: await createPlainJpeg() });
    const uploadImages = async (owner: ThawVisitor, viewer: ThawVisitor): Promise<string[]> => {
      const avatarUrl = await upload(owner, 'avatars');
      const chatImageUrl = await upload(owner, 'chat-images');
      await uploads.grant(chatImageUrl, viewer.user.id);
      return [avatarUrl, chatImageUrl];
    };
    const [urlsOfAda, urlsOfBob] = [await uploadImages(ada, bob), await uploadImages(bob, ada)];
    const readStatuses = (viewer: ThawVisitor, urls: readonly string[]) =>
      Promise.all(urls.map(async (url) => (await viewer.call('GET', url)).status));
    expect(await readStatuses(bob, urlsOfAda)).toEqual([200, 200]);
    expect((await block(ada, bob)).status).toBe(201);
    expect(await readStatuses(bob, urlsOfAda)).toEqual([404, 404]);
    expect(await readStatuses(ada, urlsOfBob)).toEqual([200, 200]);
    expect(await readStatuses(ada, urlsOfAda)).toEqual([200, 200]);
    expect(await readProfileStatus(bob, ada)).toBe(404);
    expect(await readProfileStatus(ada, bob)).toBe(200);
    expect((await unblock(ada, bob)).status).toBe(204);
    expect(await readStatuses(bob, urlsOfAda)).toEqual([200, 200]);
    expect(await readProfileStatus(bob, ada)).toBe(200);
  });

  describe('a search', () => {
    const startSearches = async (...visitors: ThawVisitor[]) => {
      const sockets = [];
      for (const visitor of visitors) {
        const socket = await visitor.openSocket();
        await socket.request('join_queue', {});
        sockets.push(socket);
      }
      return sockets;
    };
    /**
     * For an hour after a block, a key in Redis keeps the two users apart. Deletes the key, as if the hour had passed.
     */
    const expireBlockKey = (ada: ThawVisitor, bob: ThawVisitor) =>
      stack.store.redis.del(matchingKeys.separation(ada.user.id, bob.user.id));

    it('never matches the two users: first a key in Redis prevents it, later the list of excluded users', async () => {
      const { ada, bob } = await createPartners();
      expect((await block(ada, bob)).status).toBe(201);
      await startSearches(ada, bob);
      expect(await readStates(ada, bob)).toEqual(['searching', 'searching']);
      await expireBlockKey(ada, bob);
      const excludedIds = [bob.user.id];
      // Tries again to match Ada: from now on only the list excludes Bob.
      await stack.replicas[0]!.app.get(MatchQueueService).retry(ada.user.id, excludedIds);
      const { ada: eve, bob: dan } = await createPartners();
      expect((await block(dan, eve)).status).toBe(201);
      await expireBlockKey(eve, dan);
      // Eve and Dan are not matched with each other, but with Bob and Ada, who are waiting already.
      await startSearches(eve, dan);
      await until(async () => (await readStates(ada, bob, eve, dan)).every((state) => state === 'chatting'));
      const partners = await stack.replicas[0]!.app.get(MatchQueueService).readPartners([
        ada.user.id,
        bob.user.id,
      ]);
      expect([...partners].sort()).toEqual([eve.user.id, dan.user.id].sort());
    });

    it('matches the two users as soon as neither blocks the other, while they search on two replicas', async () => {
      const { ada, bob } = await createPartners();
      expect((await block(ada, bob)).status).toBe(201);
      expect((await block(bob, ada)).status).toBe(201);
      const [adaSocket, bobSocket] = await startSearches(ada, bob);
      expect((await unblock(ada, bob)).status).toBe(204);
      expect(await readStates(ada, bob)).toEqual(['searching', 'searching']);
      expect((await unblock(bob, ada)).status).toBe(204);
      expect(await adaSocket!.next('chat_matched')).toMatchObject({ partnerId: bob.user.id });
      expect(await bobSocket!.next('chat_matched')).toMatchObject({ partnerId: ada.user.id });
    });

    it('continues for both users when the start of their chat is refused because of a block', async () => {
      const { ada, bob } = await createPartners();
      expect((await block(ada, bob)).status).toBe(201);
      await expireBlockKey(ada, bob);
      // As if this block were missing in the list, which contains only the newest blocks (`MAX_EXCLUDED_USERS`).
      for (const { app } of stack.replicas)
        jest.spyOn(app.get(BlockListService), 'findExcludedUserIds').mockResolvedValue([]);
      const sockets = await startSearches(ada, bob);
      const key = matchingKeys.separation(ada.user.id, bob.user.id);
      // The refusal sets the key again.
      await until(async () => (await stack.store.redis.get(key)) === BLOCKED);
      await until(async () => (await readStates(ada, bob)).every((state) => state === 'searching'));
      for (const socket of sockets) expect(socket.all('chat_matched')).toEqual([]);
    });

    it('reads the list again after half an hour, and uses the old list if the query fails', async () => {
      const excludedIds = [4711]; // any id
      const { ada } = await createPartners();
      const { app } = stack.replicas[0]!;
      const read = jest
        .spyOn(app.get(BlockListService), 'findExcludedUserIds')
        .mockResolvedValue(excludedIds);
      const resume = jest.spyOn(app.get(MatchQueueService), 'resume');
      const [socket] = await startSearches(ada);
      const countReads = () => read.mock.calls.filter(([userId]) => userId === ada.user.id).length;
      expect(countReads()).toBe(1); // by `join_queue`; opening the first socket needs no list
      const secondSocket = await ada.openSocket();
      expect(countReads()).toBe(1);
      const later = Date.now() + EXCLUSIONS_TTL_MS + 1;
      jest.spyOn(Date, 'now').mockImplementation(() => later);
      read.mockRejectedValueOnce(new Error('PostgreSQL is unreachable'));
      const thirdSocket = await ada.openSocket();
      expect(countReads()).toBe(2);
      // The third socket continued the search with the old list.
      expect(resume).toHaveBeenLastCalledWith(ada.user.id, excludedIds);
      // No socket is informed of the search twice.
      for (const openSocket of [socket!, secondSocket, thirdSocket])
        expect(openSocket.all('queue_joined').length).toBeLessThan(2);
    });
  });
});
