// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. Ada blocks Bob.
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
import { UploadsService } from '../uploads/application/uploads.service';
import { BlockListService } from './application/block-list.service';

jest.setTimeout(60_000);

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

  const signUpPartners = async (): Promise<{ ada: ThawVisitor; bob: ThawVisitor }> => {
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    await recordPastChat(stack.replicas[0]!, ada, bob);
    return { ada, bob };
  };
  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  const block = (ada: ThawVisitor, bob: { user: { id: number } }) =>
    ada.call('POST', '/api/blocks', { blockerId: ada.user.id, blockedId: bob.user.id });
  const unblock = (ada: ThawVisitor, bob: ThawVisitor) =>
    ada.call('DELETE', `/api/blocks/${ada.user.id}/${bob.user.id}`);
  const readBlocks = async (caller: ThawVisitor): Promise<unknown> =>
    (await caller.call('GET', `/api/blocks/${caller.user.id}`)).body;
  const ask = (from: ThawVisitor, to: ThawVisitor) =>
    from.call('POST', '/api/friends/request', { requesterId: from.user.id, addresseeId: to.user.id });
  const profileStatus = async (viewer: ThawVisitor, of: ThawVisitor): Promise<number> =>
    (await viewer.call('GET', `/api/user/${of.user.id}`)).status;
  const readStates = async (...users: ThawVisitor[]) => {
    const records = await stack.replicas[0]!.app.get(MatchQueueService).readRecords(
      users.map(({ user }) => user.id),
    );
    return records.map((record) => record?.state ?? 'nowhere');
  };

  describe('the list', () => {
    it('has each blocked user once, newest first, until the user is unblocked', async () => {
      const { ada, bob } = await signUpPartners();
      const eve = await stack.createVisitor(1);
      await recordPastChat(stack.replicas[0]!, ada, eve);
      const placed = await block(ada, bob);
      expect(placed).toMatchObject({
        status: 201,
        body: { blockedId: bob.user.id, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      });
      expect(await block(ada, bob)).toMatchObject({ status: 200, body: placed.body });
      const { body: newest } = await block(ada, eve);
      const toListEntry = ({ user: { username, avatar } }: ThawVisitor) => ({ username, avatar });
      expect(await readBlocks(ada)).toEqual([
        { ...newest, ...toListEntry(eve) },
        { ...placed.body, ...toListEntry(bob) },
      ]);
      expect(await readBlocks(bob)).toEqual([]);
      expect(await unblock(ada, eve)).toMatchObject({ status: 204 });
      expect(await unblock(ada, eve)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await readBlocks(ada)).toEqual([{ ...placed.body, ...toListEntry(bob) }]);
    });

    it('refuses oneself, users who do not exist, and users who were never met', async () => {
      const { ada } = await signUpPartners();
      const stranger = await stack.createVisitor(1);
      const missingUser = { user: { id: Number.MAX_SAFE_INTEGER } };
      for (const other of [ada, stranger, missingUser])
        expect(await block(ada, other)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await readBlocks(ada)).toEqual([]);
    });

    it('is limited, also when two calls compete for the last place', async () => {
      const { ada, bob } = await signUpPartners();
      const eve = await stack.createVisitor(1);
      await recordPastChat(stack.replicas[0]!, ada, eve);
      await stack.database.dataSource.query(
        `INSERT INTO blocks (blocker_id, blocked_id, created_at)
         SELECT $1::bigint, $1::bigint + n, now() FROM generate_series(1000000, 1000000 + $2::int - 2) AS n`,
        [ada.user.id, limits.blockedUsersMax],
      );
      const responses = await Promise.all([block(ada, bob), block(ada, eve)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(responses.find(({ status }) => status === 409)?.body.code).toBe('limit_reached');
      await stack.database.dataSource.query('DELETE FROM blocks WHERE blocked_id >= $1::bigint + 1000000', [
        ada.user.id,
      ]);
    });

    it('accepts 60 calls in an hour', async () => {
      const { origin } = await stack.addReplica({ LIMITS_PROFILE: 'default' });
      const ada = await new ThawVisitor([origin]).joinAnonymously();
      const statuses: number[] = [];
      for (let count = 0; count < 61; count += 1) statuses.push((await block(ada, ada)).status);
      expect(statuses).toEqual([...new Array<number>(60).fill(404), 429]);
    });

    it('is the same after a rebuild of the read models', async () => {
      const { ada, bob } = await signUpPartners();
      expect((await block(ada, bob)).status).toBe(201);
      expect((await block(bob, ada)).status).toBe(201);
      expect((await unblock(bob, ada)).status).toBe(204);
      const readRows = () =>
        stack.database.dataSource.query<unknown[]>('SELECT * FROM blocks ORDER BY blocker_id, blocked_id');
      const before = await readRows();
      expect(before.length).toBeGreaterThan(0);
      await stack.database.dataSource.query('DELETE FROM blocks');
      await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
      expect(await readRows()).toEqual(before);
    });
  });

  it('is known to the workers, which must read every event type before a replica appends it', async () => {
    const worker = await stack.startWorker();
    const eventTypes = worker.app.get(EventTypeRegistry);
    for (const type of ['PersonBlocked', 'PersonUnblocked'])
      expect(eventTypes.knows({ type, schemaVersion: 1 })).toBe(true);
    await worker.stop();
  });

  it('ends the running chat as a skip, and informs only the sockets of the blocker about the block', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
    const otherTab = await ada.openSocket(stack.origins[1]);
    expect((await block(ada, bob)).status).toBe(201);
    const end = { sessionId, reason: 'skipped', endedBy: ada.user.id };
    for (const socket of [adaSocket, bobSocket]) expect(await socket.next('chat_skipped')).toMatchObject(end);
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
    await Promise.all([adaSocket, bobSocket, otherTab].map((socket) => socket.leave()));
  });

  it('runs the effects again when an earlier call has died after its commit', async () => {
    const { ada, bob, adaSocket, bobSocket } = await startChat();
    jest
      .spyOn(stack.replicas[0]!.app.get(MatchQueueService), 'separate')
      .mockRejectedValueOnce(new Error('killed'));
    expect((await block(ada, bob)).status).toBe(500);
    expect(await readStates(ada, bob)).toEqual(['chatting', 'chatting']);
    expect((await block(ada, bob)).status).toBe(200);
    expect(await readStates(ada, bob)).toEqual(['nowhere', 'nowhere']);
    await Promise.all([adaSocket.leave(), bobSocket.leave()]);
  });

  describe('friendship', () => {
    it('ends for both, with the private chat, presence and typing, and does not return with the unblock', async () => {
      const { ada, bob } = await signUpPartners();
      await makeFriends(stack.replicas[0]!, ada, bob);
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      expect((await block(ada, bob)).status).toBe(201);
      const removal = { removedFriendId: bob.user.id, removedBy: ada.user.id };
      for (const socket of [adaSocket, bobSocket])
        expect(await socket.next('friendship_removed')).toEqual(removal);
      const write = (from: ThawVisitor, to: ThawVisitor) => ({
        senderId: from.user.id,
        receiverId: to.user.id,
        content: 'hi',
        messageType: 'text' as const,
      });
      const refused = { event: 'error', data: { code: 'not_friends' } };
      expect(await adaSocket.ask('send_private_message', write(ada, bob))).toMatchObject(refused);
      expect(await bobSocket.ask('send_private_message', write(bob, ada))).toMatchObject(refused);
      expect(await bobSocket.ask('typing', { receiverId: ada.user.id })).toMatchObject(refused);
      for (const caller of [ada, bob])
        expect((await caller.call('GET', `/api/friends/${caller.user.id}`)).body).toEqual([]);
      expect((await ada.call('GET', `/api/user/${bob.user.id}`)).body).toMatchObject({ isOnline: false });
      expect(bobSocket.all('block_changed')).toEqual([]);

      expect((await unblock(ada, bob)).status).toBe(204);
      expect((await ada.call('GET', `/api/friends/${ada.user.id}`)).body).toEqual([]);
      await makeFriends(stack.replicas[0]!, bob, ada);
      await Promise.all([adaSocket.leave(), bobSocket.leave()]);
    });

    it('loses pending requests of either user, and refuses new ones as if the users had never met', async () => {
      for (const isSentByBlocker of [true, false]) {
        const { ada, bob } = await signUpPartners();
        const [from, to] = isSentByBlocker ? [ada, bob] : [bob, ada];
        const { body } = await ask(from, to);
        expect((await block(ada, bob)).status).toBe(201);
        expect((await to.call('GET', `/api/friends/requests/${to.user.id}`)).body).toEqual([]);
        const answer = { status: 'accepted' };
        expect((await to.call('PUT', `/api/friends/request/${String(body.id)}`, answer)).status).toBe(404);
        for (const [one, other] of [
          [ada, bob],
          [bob, ada],
        ] as const)
          expect(await ask(one, other)).toMatchObject({ status: 404, body: { code: 'not_found' } });
        expect((await unblock(ada, bob)).status).toBe(204);
        expect((await ask(bob, ada)).status).toBe(201);
      }
    });

    it('never outlives a block that crosses a request or an answer', async () => {
      for (let round = 0; round < 25; round += 1) {
        const { ada, bob } = await signUpPartners();
        if (round % 2) await ask(ada, bob);
        const [blocked] = await Promise.all([block(ada, bob), ask(bob, ada)]);
        expect(blocked.status).toBe(201);
        const ids = [ada.user.id, bob.user.id];
        const readRows = (table: string, column: string) =>
          stack.database.dataSource.query<unknown[]>(
            `SELECT * FROM ${table} WHERE ${column} = ANY($1) AND ${table === 'friendships' ? 'true' : "status = 'pending'"}`,
            [ids],
          );
        expect(await readRows('friendships', 'low_id')).toEqual([]);
        expect(await readRows('friend_requests', 'requester_id')).toEqual([]);
      }
    });
  });

  it('hides the blocker from the blocked user, but not the other way', async () => {
    const { ada, bob } = await signUpPartners();
    const uploads = stack.replicas[0]!.app.get(UploadsService);
    const upload = async (owner: ThawVisitor, bucket: UploadBucket): Promise<string> =>
      uploads.receive({ ownerId: owner.user.id, bucket, fileName: 'x', bytes: await createPlainJpeg() });
    const uploadImages = async (owner: ThawVisitor, viewer: ThawVisitor): Promise<string[]> => {
      const urls = [await upload(owner, 'avatars'), await upload(owner, 'chat-images')];
      await uploads.grant(urls[1]!, viewer.user.id);
      return urls;
    };
    const [ofAda, ofBob] = [await uploadImages(ada, bob), await uploadImages(bob, ada)];
    const readStatuses = (viewer: ThawVisitor, urls: readonly string[]) =>
      Promise.all(urls.map(async (url) => (await viewer.call('GET', url)).status));
    expect(await readStatuses(bob, ofAda)).toEqual([200, 200]);
    expect((await block(ada, bob)).status).toBe(201);
    expect(await readStatuses(bob, ofAda)).toEqual([404, 404]);
    expect(await readStatuses(ada, ofBob)).toEqual([200, 200]);
    expect(await readStatuses(ada, ofAda)).toEqual([200, 200]);
    expect(await profileStatus(bob, ada)).toBe(404);
    expect(await profileStatus(ada, bob)).toBe(200);
    expect((await unblock(ada, bob)).status).toBe(204);
    expect(await readStatuses(bob, ofAda)).toEqual([200, 200]);
    expect(await profileStatus(bob, ada)).toBe(200);
  });

  describe('a search', () => {
    const startSearches = async (...users: ThawVisitor[]) => {
      const sockets = [];
      for (const caller of users) {
        const socket = await caller.openSocket();
        await socket.request('join_queue', {});
        sockets.push(socket);
      }
      return sockets;
    };
    /** As after the hour for which Redis knows a block. */
    const forgetPair = (ada: ThawVisitor, bob: ThawVisitor) =>
      stack.store.redis.del(matchingKeys.coolDown(ada.user.id, bob.user.id));

    it('never matches the two, whether Redis knows the block or only the list', async () => {
      const { ada, bob } = await signUpPartners();
      expect((await block(ada, bob)).status).toBe(201);
      await startSearches(ada, bob);
      expect(await readStates(ada, bob)).toEqual(['searching', 'searching']);
      await forgetPair(ada, bob);
      await stack.replicas[0]!.app.get(MatchQueueService).retry(ada.user.id, [bob.user.id]);
      const { ada: eve, bob: dan } = await signUpPartners();
      expect((await block(dan, eve)).status).toBe(201);
      await forgetPair(eve, dan);
      // Ada and Bob are compatible with them and wait longer.
      await startSearches(eve, dan);
      await until(async () => (await readStates(ada, bob, eve, dan)).every((state) => state === 'chatting'));
      const partners = await stack.replicas[0]!.app.get(MatchQueueService).readPartners([
        ada.user.id,
        bob.user.id,
      ]);
      expect([...partners].sort()).toEqual([eve.user.id, dan.user.id].sort());
    });

    it('matches the two as soon as the only block is lifted, while they search on two replicas', async () => {
      const { ada, bob } = await signUpPartners();
      expect((await block(ada, bob)).status).toBe(201);
      expect((await block(bob, ada)).status).toBe(201);
      const [adaSocket, bobSocket] = await startSearches(ada, bob);
      expect((await unblock(ada, bob)).status).toBe(204);
      expect(await readStates(ada, bob)).toEqual(['searching', 'searching']);
      expect((await unblock(bob, ada)).status).toBe(204);
      expect(await adaSocket!.next('chat_matched')).toMatchObject({ partnerId: bob.user.id });
      expect(await bobSocket!.next('chat_matched')).toMatchObject({ partnerId: ada.user.id });
    });

    it('refuses a match of the two at its start, and both continue their searches', async () => {
      const { ada, bob } = await signUpPartners();
      expect((await block(ada, bob)).status).toBe(201);
      await forgetPair(ada, bob);
      // As for a block that is older than the newest 500.
      for (const { app } of stack.replicas)
        jest.spyOn(app.get(BlockListService), 'findExcludedUsers').mockResolvedValue([]);
      const sockets = await startSearches(ada, bob);
      const key = matchingKeys.coolDown(ada.user.id, bob.user.id);
      await until(async () => (await stack.store.redis.get(key)) === 'x');
      await until(async () => (await readStates(ada, bob)).every((state) => state === 'searching'));
      for (const socket of sockets) expect(socket.all('chat_matched')).toEqual([]);
    });

    it('reads its list again after half an hour, and keeps the old one while the list cannot be read', async () => {
      const { ada } = await signUpPartners();
      const { app } = stack.replicas[0]!;
      const read = jest.spyOn(app.get(BlockListService), 'findExcludedUsers').mockResolvedValue([4711]);
      const resume = jest.spyOn(app.get(MatchQueueService), 'resume');
      const [socket] = await startSearches(ada);
      const readCount = () => read.mock.calls.filter(([userId]) => userId === ada.user.id).length;
      expect(readCount()).toBe(1); // for the search; a user who is not searching needs no list
      const second = await ada.openSocket();
      expect(readCount()).toBe(1);
      const later = Date.now() + 1_800_001;
      jest.spyOn(Date, 'now').mockImplementation(() => later);
      read.mockRejectedValueOnce(new Error('PostgreSQL is unreachable'));
      const third = await ada.openSocket();
      expect(readCount()).toBe(2);
      expect(resume).toHaveBeenLastCalledWith(ada.user.id, [4711]);
      for (const one of [socket!, second, third]) expect(one.all('queue_joined').length).toBeLessThan(2);
    });
  });
});
