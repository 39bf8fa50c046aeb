// Runs against a real worker in this process, PostgreSQL and Redis.
import { QueryFailedError } from 'typeorm';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import {
  chatEnded,
  chatStarted,
  messageSent,
  createSessionId,
  putIntoOutbox,
} from '../../../testing/raw-outbox.fixture';
import { startTestStack, type TestStack, type TestWorker } from '../../../testing/test-stack.harness';
import { until } from '../../../testing/until.functions';

jest.setTimeout(120_000);

const CHATS = 2_000;
const CHATS_PER_INSERT = 100;
const MESSAGES_PER_CHAT = 100;

describe('OutboxProcessor with many entries at the same time', () => {
  let stack: TestStack;
  let worker: TestWorker;

  const waitUntilPersisted = () =>
    until(
      async () => (await worker.app.get(OutboxRepository).measureBacklog()).length,
      (length) => length === 0,
      90_000,
    );
  /** @param tableAndCondition the part of the query after FROM. */
  const countRows = async (tableAndCondition: string): Promise<number> => {
    const [row] = await stack.database.dataSource.query<{ count: string }[]>(
      `SELECT count(*) FROM ${tableAndCondition}`,
    );
    return Number(row?.count);
  };

  beforeAll(async () => {
    stack = await startTestStack(0);
    worker = await stack.startWorker();
  });
  // A test that failed may have left entries in the outboxes.
  beforeEach(waitUntilPersisted);
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  it(`persists ${CHATS} ends of chats with ${MESSAGES_PER_CHAT} messages each, and updates no row of a message`, async () => {
    const sessionIds = Array.from({ length: CHATS }, () => createSessionId());
    const { dataSource } = stack.database;
    const streamIds = sessionIds.map((sessionId) => `chat-${sessionId}`);
    // The messages are inserted into PostgreSQL directly, so that the outboxes contain only the ends.
    for (let start = 0; start < CHATS; start += CHATS_PER_INSERT) {
      await dataSource.query(
        `WITH message AS (
           SELECT stream_id, nth, gen_random_uuid() AS event_id
           FROM unnest($1::text[]) AS stream_id, generate_series(1, ${MESSAGES_PER_CHAT}) AS nth
         ), stream AS (
           INSERT INTO event_streams (stream_id, stream_type, version)
           SELECT stream_id, 'chat', ${MESSAGES_PER_CHAT} FROM unnest($1::text[]) AS stream_id
         ), body AS (
           INSERT INTO event_private (event_id, stream_id, subject_id, data, expires_at)
           SELECT event_id, stream_id, 1, '{"content": "hello"}', now() + interval '7 days' FROM message
         )
         INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
         SELECT stream_id, nth, event_id, 'MessageSent', 1, '{"senderId": 1}', '{}', now() FROM message`,
        [streamIds.slice(start, start + CHATS_PER_INSERT)],
      );
    }
    await Promise.all(
      sessionIds.map((sessionId) => putIntoOutbox(stack.store.redis, sessionId, [chatEnded])),
    );
    await waitUntilPersisted();
    expect(await countRows(`events WHERE type = 'ChatEnded'`)).toBe(CHATS);
    // One row for each chat sets the expiry of its messages.
    expect(await countRows('private_data_expiries')).toBe(CHATS);
    // The rows of the messages still expire 7 days after they were inserted.
    expect(await countRows(`event_private WHERE expires_at > now() + interval '6 days'`)).toBe(
      CHATS * MESSAGES_PER_CHAT,
    );
  });

  it('halves a batch that times out until it succeeds', async () => {
    const largestBatchInTime = 70; // in events, which share a transaction
    const store = worker.app.get(EventStoreRepository);
    const append = store.appendBatch.bind(store);
    const sizes: number[] = [];
    jest.spyOn(store, 'appendBatch').mockImplementation(async (entries) => {
      sizes.push(entries.length);
      if (entries.length <= largestBatchInTime) return append(entries);
      const cause = Object.assign(new Error('canceling statement due to statement timeout'), {
        code: '57014',
      });
      throw new QueryFailedError('INSERT', [], cause);
    });
    const sessionId = createSessionId();
    const texts = Array.from({ length: 400 }, (_, index) => `${index}`);
    await putIntoOutbox(stack.store.redis, sessionId, [
      chatStarted(),
      ...texts.map((text) => messageSent(text)),
    ]);
    await waitUntilPersisted();
    const rows = await stack.database.dataSource.query<{ content: string }[]>(
      `SELECT p.data->>'content' AS content FROM events JOIN event_private p USING (stream_id, event_id)
       WHERE stream_id = $1 AND type = 'MessageSent' ORDER BY stream_position`,
      [`chat-${sessionId}`],
    );
    expect(rows.map(({ content }) => content)).toEqual(texts);
    // At most the batch of 401 events, its two halves and its four quarters time out, once each.
    expect(sizes.filter((size) => size > largestBatchInTime).length).toBeLessThanOrEqual(1 + 2 + 4);
  });

  it('reads smaller pages when large ones time out', async () => {
    const largestPageInTime = 60; // in entries of one outbox
    const outbox = worker.app.get(OutboxRepository);
    const read = outbox.read.bind(outbox);
    const sessionId = createSessionId();
    jest.spyOn(outbox, 'read').mockImplementation(async (positions, perShard) => {
      if (perShard > largestPageInTime) throw new Error('Command timed out');
      return read(positions, perShard);
    });
    const messages = Array.from({ length: 300 }, (_, index) => messageSent(`${index}`));
    await putIntoOutbox(stack.store.redis, sessionId, [chatStarted(), ...messages]);
    await waitUntilPersisted();
    expect(await countRows(`events WHERE stream_id = 'chat-${sessionId}'`)).toBe(1 + messages.length);
  });
});
