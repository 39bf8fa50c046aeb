// Runs against real PostgreSQL, Redis and BullMQ; a complete api replica and workers run in this process. A worker
// writes the outboxes to PostgreSQL in passes over a shard group (16 of the 64 outboxes).
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { findShard, chatKeys, findShardGroup } from '../../../platform/redis/redis.keys';
import { startTestStack, type TestStack, type TestWorker } from '../../../testing/test-stack.harness';
import { matchNewVisitors, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { BATCH_WINDOW_MS } from '../application/outbox-scheduler.service';

jest.setTimeout(30_000);

/** Message bodies expire after a week, or earlier if the chat ends. */
const BODY_EXPIRY_MS = 7 * 24 * 60 * 60_000;
/** How long the stream of an ended chat stays in Redis. */
const ENDED_STREAM_EXPIRY_MS = 10 * 60_000;
/** Tolerance for the time between setting an expiry and reading it. */
const TTL_TOLERANCE_MS = 60_000;
/** Reply of PTTL for a key that does not expire. */
const NO_EXPIRY = -1;

interface EventRow {
  event_id: string;
  type: string;
  data: Record<string, unknown>;
  personal: Record<string, unknown> | null;
  metadata: Record<string, unknown>;
  occurred_at: Date;
}

describe('OutboxProcessor', () => {
  let stack: TestStack;
  /** Started by the first test, which sends its messages before a worker runs. */
  let worker: TestWorker;

  beforeAll(async () => {
    stack = await startTestStack(1);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  type Chat = Awaited<ReturnType<typeof matchNewVisitors>>;
  const startChat = async (): Promise<Chat> => {
    const [origin = ''] = stack.origins;
    return matchNewVisitors([origin, origin]);
  };
  /** Sends messages by Bob and Ada in turn. */
  const sendMessages = async (
    { adaSocket, bobSocket, sessionId }: Chat,
    messageCount: number,
  ): Promise<void> => {
    for (let index = 0; index < messageCount; index += 1) {
      const socket = index % 2 === 0 ? bobSocket : adaSocket;
      await socket.request('random_message', textMessage(sessionId, `word ${index}`));
    }
  };
  const readFromRedis = async (sessionId: string) => {
    const entries = await stack.store.redis.xrange(
      chatKeys(findShard(sessionId)).stream(sessionId),
      '-',
      '+',
    );
    return entries.map(([entryId, fields]) => {
      // An entry has one field, the encoded event: id, type and data.
      const { i, t, d } = JSON.parse(fields[1] ?? '') as { i: string; t: string; d: Record<string, unknown> };
      return { entryId, eventId: i, type: t, data: d };
    });
  };
  const readFromPostgres = (sessionId: string): Promise<EventRow[]> =>
    stack.database.dataSource.query(
      `SELECT e.event_id, e.type, e.data, p.data AS personal, e.metadata, e.occurred_at
       FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
       WHERE stream_id = $1 ORDER BY stream_position`,
      [`chat-${sessionId}`],
    );
  /** Expects PostgreSQL to have exactly the events that Redis has, in the same order. */
  const expectPersisted = async (sessionId: string): Promise<void> => {
    const expected = await readFromRedis(sessionId);
    const rows = await until(
      () => readFromPostgres(sessionId),
      ({ length }) => length >= expected.length,
    );
    expect(
      rows.map(({ event_id: eventId, type, data, personal, metadata, occurred_at: occurredAt }) => ({
        entryId: metadata.entryId,
        eventId,
        type,
        data: { ...data, ...personal },
        occurredAtMs: occurredAt.getTime(),
      })),
    ).toEqual(expected.map((entry) => ({ ...entry, occurredAtMs: Number(entry.entryId.split('-')[0]) })));
  };
  const waitUntilOutboxesAreEmpty = () =>
    until(
      async () => (await worker.app.get(OutboxRepository).measureBacklog()).length,
      (length) => length === 0,
    );

  it('persists every event in order and once when the worker starts late', async () => {
    const chats = [await startChat(), await startChat(), await startChat()];
    await Promise.all(chats.map((chat) => sendMessages(chat, 20)));
    await chats[0]!.adaSocket.request('skip_chat', { sessionId: chats[0]!.sessionId });
    expect(await readFromPostgres(chats[0]!.sessionId)).toEqual([]);
    worker = await stack.startWorker();
    for (const { sessionId } of chats) await expectPersisted(sessionId);
    await waitUntilOutboxesAreEmpty();
  });

  it('persists every event once when two workers run while messages arrive', async () => {
    const second = await stack.startWorker();
    const chats = [await startChat(), await startChat()];
    await Promise.all(chats.map((chat) => sendMessages(chat, 60)));
    for (const { sessionId } of chats) await expectPersisted(sessionId);
    await waitUntilOutboxesAreEmpty();
    await second.stop();
  });

  it('keeps a minimum interval between passes over a shard group, however many jobs are added', async () => {
    const outbox = worker.app.get(OutboxRepository);
    const passes: { group: number; startedAt: number }[] = [];
    const lock = outbox.lock.bind(outbox);
    // A pass has its own token. It calls `lock` with this token again to renew the lock.
    const tokens = new Set<string>();
    jest.spyOn(outbox, 'lock').mockImplementation(async (group, token, ttlMs) => {
      if (!tokens.has(token)) passes.push({ group, startedAt: performance.now() });
      tokens.add(token);
      return lock(group, token, ttlMs);
    });
    const chat = await startChat();
    const group = findShardGroup(findShard(chat.sessionId));
    const listPassesOfGroup = () => passes.filter((pass) => pass.group === group);
    while (listPassesOfGroup().length < 4) await sendMessages(chat, 5);
    await expectPersisted(chat.sessionId);
    for (const [index, { startedAt }] of listPassesOfGroup().entries()) {
      const previousPass = listPassesOfGroup()[index - 1];
      if (!previousPass) continue;
      // The minimum is half a batch window. A third is expected here, because a pass locks the group slightly after it
      // has started, by a varying delay.
      expect(startedAt - previousPass.startedAt).toBeGreaterThan(BATCH_WINDOW_MS / 3);
    }
    await waitUntilOutboxesAreEmpty();
  });

  it('starts another pass for entries that arrived during a pass, without a poll or a job from a replica', async () => {
    const outbox = worker.app.get(OutboxRepository);
    // The poll finds no work. The replica adds no job for the late messages, because their outbox is not empty.
    jest.spyOn(outbox, 'findFilledGroups').mockResolvedValue([]);
    const chat = await startChat();
    const group = findShardGroup(findShard(chat.sessionId));
    const read = outbox.read.bind(outbox);
    let lateMessages: Promise<void> | undefined;
    jest.spyOn(outbox, 'read').mockImplementation(async (positions, pageSize) => {
      const pages = await read(positions, pageSize);
      const hasEntriesOfGroup = pages.some(
        ({ shard, entries }) => findShardGroup(shard) === group && entries.length > 0,
      );
      // During the first read that finds entries of the group, more messages are sent.
      if (hasEntriesOfGroup) await (lateMessages ??= sendMessages(chat, 3));
      return pages;
    });
    await sendMessages(chat, 1);
    await until(() => lateMessages !== undefined);
    await lateMessages;
    await expectPersisted(chat.sessionId);
    await waitUntilOutboxesAreEmpty();
  });

  it('stores usernames and message bodies outside the log, the bodies with an expiry', async () => {
    const chat = await startChat();
    await sendMessages(chat, 1);
    await expectPersisted(chat.sessionId);
    const [started, message] = await readFromPostgres(chat.sessionId);
    expect(JSON.stringify(message?.data)).not.toContain('word'); // the content of the message is `word 0`
    expect(JSON.stringify(started?.data)).not.toContain(chat.ada.user.username);
    const [row] = await stack.database.dataSource.query<{ subject_id: string; expires_at: Date }[]>(
      'SELECT subject_id, expires_at FROM event_private WHERE stream_id = $1 AND event_id = $2',
      [`chat-${chat.sessionId}`, message?.event_id],
    );
    // The first message is Bob's.
    expect(Number(row?.subject_id)).toBe(chat.bob.user.id);
    expect(row?.expires_at.getTime()).toBe(message!.occurred_at.getTime() + BODY_EXPIRY_MS);
  });

  it('writes nothing twice when the removal from the outbox fails after the commit', async () => {
    const chat = await startChat();
    const remove = jest
      .spyOn(worker.app.get(OutboxRepository), 'remove')
      .mockRejectedValueOnce(new Error('Connection is closed.'));
    await sendMessages(chat, 10);
    await until(() => remove.mock.calls.length > 1);
    await expectPersisted(chat.sessionId);
    await waitUntilOutboxesAreEmpty();
    await expectPersisted(chat.sessionId); // also after the entries have been processed again
  });

  it('repeats a write that failed because the connection to PostgreSQL was lost', async () => {
    const chat = await startChat();
    const connectionLost = Object.assign(new Error('connection terminated'), { code: '57P01' });
    const append = jest
      .spyOn(worker.app.get(EventStoreRepository), 'appendBatch')
      .mockRejectedValueOnce(connectionLost);
    await sendMessages(chat, 10);
    await until(() => append.mock.calls.length > 1);
    await expectPersisted(chat.sessionId);
    await waitUntilOutboxesAreEmpty();
  });

  it('sets an expiry on the stream of an ended chat only', async () => {
    const [endedChat, openChat] = [await startChat(), await startChat()];
    await sendMessages(endedChat, 2);
    await endedChat.bobSocket.request('skip_chat', { sessionId: endedChat.sessionId });
    for (const { sessionId } of [endedChat, openChat]) await expectPersisted(sessionId);
    const readTtl = ({ sessionId }: Chat) =>
      stack.store.redis.pttl(chatKeys(findShard(sessionId)).stream(sessionId));
    const ttlMs = await until(
      () => readTtl(endedChat),
      (ms) => ms > 0,
    );
    expect(ttlMs).toBeGreaterThan(ENDED_STREAM_EXPIRY_MS - TTL_TOLERANCE_MS);
    expect(ttlMs).toBeLessThanOrEqual(ENDED_STREAM_EXPIRY_MS);
    expect(await readTtl(openChat)).toBe(NO_EXPIRY);
  });

  describe('the chat history, a projection of the persisted events,', () => {
    it('lists every chat as soon as it has started, newest first', async () => {
      const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
      await expectPersisted(sessionId);
      await adaSocket.request('skip_chat', { sessionId });
      await bobSocket.closeCleanly();
      const eve = await stack.createVisitor(0, 'male');
      const eveSocket = await eve.openSocket();
      await adaSocket.request('join_queue', {});
      await eveSocket.request('join_queue', {});
      const match = await eveSocket.next('chat_matched');
      const secondSessionId = String(match.sessionId);
      await expectPersisted(secondSessionId);
      const { status, body } = await ada.call('GET', `/api/chat-history/${ada.user.id}`);
      expect(status).toBe(200);
      const rows = body as unknown as { id: number; user1Id: number; user2Id: number; createdAt: string }[];
      const userIdPairs = rows.map(({ user1Id, user2Id }) => [user1Id, user2Id].sort((a, b) => a - b));
      // Ada was created first, so Ada's id is the smallest.
      expect(userIdPairs).toEqual([
        [ada.user.id, eve.user.id],
        [ada.user.id, bob.user.id],
      ]);
      expect(rows[0]!.id).toBeGreaterThan(rows[1]!.id);
      const [started] = await readFromPostgres(secondSessionId);
      expect(rows[0]).toEqual({
        id: expect.any(Number),
        user1Id: expect.any(Number),
        user2Id: expect.any(Number),
        createdAt: started!.occurred_at.toISOString(),
        reportableUntil: null, // the chat has not ended
      });
    });

    it('can be read by its own user only, and is not found for an invalid user id', async () => {
      const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(0, 'male')];
      expect((await ada.call('GET', `/api/chat-history/${bob.user.id}`)).status).toBe(403);
      expect(await ada.call('GET', `/api/chat-history/${ada.user.id}`)).toMatchObject({
        status: 200,
        body: [],
      });
      for (const id of ['0', '-1', '1%27--', '1.5']) {
        expect((await ada.call('GET', `/api/chat-history/${id}`)).status).toBe(404);
      }
    });
  });
});
