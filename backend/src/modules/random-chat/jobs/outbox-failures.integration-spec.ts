// Runs against real workers in this process, PostgreSQL, Redis and BullMQ. Entries are added as replicas add them.
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from '../../../platform/redis/redis.module';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../../platform/event-store/projection.registry';
import { DeadLetterRepository } from '../../../platform/hot-log/dead-letter.repository';
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { findShard, chatKeys, findShardGroup } from '../../../platform/redis/redis.keys';
import {
  chatEnded,
  chatStarted,
  messageSent,
  createSessionId,
  putIntoOutbox,
  type RawEvent,
} from '../../../testing/raw-outbox.fixture';
import { OutboxSchedulerService } from '../application/outbox-scheduler.service';
import { ChatStreamSweepProcessor } from './chat-stream-sweep.processor';
import { startTestStack, type TestStack, type TestWorker } from '../../../testing/test-stack.harness';
import { until, untilWithin } from '../../../testing/until.functions';

jest.setTimeout(60_000);

const TEXT_WITH_NUL = 'a secret with nul \u0000';
/** An event that only a newer release can write. */
const unknownEvent = { type: 'ChatReported', data: { by: 1 } };

describe('OutboxWriterService on failures', () => {
  let stack: TestStack;
  let worker: TestWorker;

  const readOutboxLength = async () => (await worker.app.get(OutboxRepository).measureBacklog()).length;
  const waitUntilPersisted = () => until(readOutboxLength, (length) => length === 0, 30_000);
  const addEntries = async (sessionId: string, ...events: RawEvent[]) => {
    await putIntoOutbox(stack.store.redis, sessionId, events);
    worker.app.get(OutboxSchedulerService).schedule(findShardGroup(findShard(sessionId)));
  };
  /** The persisted events of a chat: the text of each message, the type of each other event. */
  const readPersisted = async (sessionId: string): Promise<string[]> => {
    const rows = await stack.database.dataSource.query<{ type: string; content: string | null }[]>(
      `SELECT e.type, p.data->>'content' AS content FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
       WHERE stream_id = $1 ORDER BY stream_position`,
      [`chat-${sessionId}`],
    );
    return rows.map(({ type, content }) => content ?? type);
  };
  const waitUntilChatPersisted = (sessionId: string, ...expected: string[]) =>
    until(
      () => readPersisted(sessionId),
      (texts) => texts.join() === expected.join(),
      30_000,
    );
  const readGauge = async (name: string, process = worker): Promise<number> => {
    const { body } = await process.app.get(MetricsRegistry).expose();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(body)?.[1]);
  };
  const listDeadLetters = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { sessionId, reason } of worker.app.get(DeadLetterRepository).list())
      found.push(`${sessionId} ${reason}`);
    return found;
  };
  /** Waits until the worker has called the spied method `times` more times. */
  const waitForCalls = async (spy: jest.SpyInstance, times = 2) => {
    const before = spy.mock.calls.length;
    await untilWithin(30_000, () => spy.mock.calls.length >= before + times);
  };

  beforeAll(async () => {
    stack = await startTestStack(0);
    worker = await stack.startWorker();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await waitUntilPersisted();
  });
  afterAll(() => stack.close());

  describe('a failing store', () => {
    const refusals: [string, string, string][] = [
      [
        'a missing relation (42P01)',
        'ALTER TABLE chat_history RENAME TO renamed',
        'ALTER TABLE renamed RENAME TO chat_history',
      ],
      [
        'a missing column (42703)',
        'ALTER TABLE chat_history RENAME user1_id TO renamed',
        'ALTER TABLE chat_history RENAME renamed TO user1_id',
      ],
    ];

    it.each(refusals)('delays every chat and loses no event: %s', async (_, refuse, allow) => {
      const chats = [createSessionId(), createSessionId(), createSessionId()];
      await stack.database.dataSource.query(refuse);
      const read = jest.spyOn(worker.app.get(OutboxRepository), 'read');
      for (const chat of chats) await addEntries(chat, chatStarted(), messageSent('kept'));
      await waitForCalls(read, 6);
      expect(await readOutboxLength()).toBe(6);
      await stack.database.dataSource.query(allow);
      for (const chat of chats) await waitUntilChatPersisted(chat, 'ChatStarted', 'kept');
      expect(await listDeadLetters()).toEqual([]);
    });

    it('delays every chat and loses no event: a read-only PostgreSQL (25006)', async () => {
      const setReadOnly = (to: 'on' | 'off') =>
        stack.database.withSession(async (client) => {
          await client.query('SET default_transaction_read_only = off');
          await client.query(`ALTER DATABASE "${client.database}" SET default_transaction_read_only = ${to}`);
          await client.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          );
        });
      const chat = createSessionId();
      await setReadOnly('on');
      try {
        const read = jest.spyOn(worker.app.get(OutboxRepository), 'read');
        await addEntries(
          chat,
          chatStarted(),
          ...Array.from({ length: 10 }, (_, index) => messageSent(`acknowledged ${index}`)),
        );
        await waitForCalls(read, 3);
        expect(await readOutboxLength()).toBe(11);
      } finally {
        await setReadOnly('off');
      }
      await until(
        () => readPersisted(chat),
        ({ length }) => length === 11,
        30_000,
      );
      expect(await listDeadLetters()).toEqual([]);
    });
  });

  describe('an entry that another release may be able to write', () => {
    it('delays only its own chat, in order, while its projection throws', async () => {
      const held = createSessionId();
      const other = createSessionId(held);
      const projections = worker.app.get(ProjectionRegistry);
      const apply = projections.apply.bind(projections);
      const throwing = jest.spyOn(projections, 'apply').mockImplementation(async (events, manager) => {
        if (events.some(({ streamId, type }) => streamId === `chat-${held}` && type === 'MessageSent')) {
          throw new TypeError('Cannot read properties of undefined');
        }
        return apply(events, manager);
      });
      await addEntries(held, chatStarted(), messageSent('one'), messageSent('two'));
      await addEntries(other, chatStarted(), messageSent('goes on'));
      await waitUntilChatPersisted(other, 'ChatStarted', 'goes on');
      await addEntries(held, messageSent('three'));
      await addEntries(other, messageSent('and on'));
      await waitUntilChatPersisted(other, 'ChatStarted', 'goes on', 'and on');
      expect(await readPersisted(held)).toEqual(['ChatStarted']);
      expect(await readGauge('thaw_held_chats')).toBe(1);
      expect(await readOutboxLength()).toBe(3);
      throwing.mockRestore();
      await waitUntilChatPersisted(held, 'ChatStarted', 'one', 'two', 'three');
      await until(
        () => readGauge('thaw_held_chats'),
        (count) => count === 0,
      );
      expect(await listDeadLetters()).toEqual([]);
    });

    it.each<[string, { type: string; version?: number; data: object }]>([
      ['an unknown type', unknownEvent],
      ['an unknown version', { type: 'ReactionAdded', version: 2, data: { emojis: [] } }],
    ])('waits for a worker of a newer release: %s', async (_, event) => {
      const held = createSessionId();
      const other = createSessionId(held);
      await addEntries(held, chatStarted(), event, messageSent('after it'));
      await addEntries(other, chatStarted());
      await waitUntilChatPersisted(other, 'ChatStarted');
      await waitUntilChatPersisted(held, 'ChatStarted');
      await until(
        () => readGauge('thaw_held_chats'),
        (count) => count === 1,
      );

      const newer = await stack.startWorker();
      const types = newer.app.get(EventTypeRegistry);
      if (event.version) jest.spyOn(types, 'upcast').mockImplementation((...[, , data]) => data);
      else types.register([{ type: event.type, schemaVersion: 1, personalFields: [] }]);
      await waitUntilChatPersisted(held, 'ChatStarted', event.type, 'after it');
      await until(
        () => readGauge('thaw_held_chats'),
        (count) => count === 0,
        40_000,
      );
      await newer.stop();
    });

    it('does not block other chats when 1,201 entries of its chat wait at the head of the outbox', async () => {
      const held = createSessionId();
      const other = createSessionId(held);
      await addEntries(
        held,
        chatStarted(),
        unknownEvent,
        ...Array.from({ length: 1_200 }, (_, index) => messageSent(`${index}`)),
      );
      await addEntries(other, chatStarted(), messageSent('behind 1,200'));
      await waitUntilChatPersisted(other, 'ChatStarted', 'behind 1,200');
      const read = jest.spyOn(worker.app.get(OutboxRepository), 'read');
      await addEntries(other, messageSent('later'));
      await waitUntilChatPersisted(other, 'ChatStarted', 'behind 1,200', 'later');
      // The held entries are not read again for every message.
      const pages = (
        await Promise.all(read.mock.results.map(({ value }) => value as ReturnType<OutboxRepository['read']>))
      ).flat();
      expect(pages.reduce((sum, { entries }) => sum + entries.length, 0)).toBeLessThan(1_200 * 2);
      expect((await worker.app.get(OutboxRepository).measureBacklog()).length).toBe(1_201);
      const key = chatKeys(findShard(held)).outbox;
      await stack.store.redis.del(key);
    });
  });

  describe('an invalid entry', () => {
    it('becomes a dead letter after five attempts, and the rest of its chat is persisted', async () => {
      const lines: string[] = [];
      jest.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => void lines.push(line));
      const chats = [createSessionId(), createSessionId(), createSessionId()];
      const [nul = '', noJson = '', noUuid = ''] = chats;
      const bystander = createSessionId(nul);
      await addEntries(nul, chatStarted(), messageSent(TEXT_WITH_NUL), messageSent('after'));
      await addEntries(noJson, chatStarted(), 'no json', messageSent('after'));
      await addEntries(noUuid, chatStarted(), {
        type: 'GameIgnored',
        eventId: 'no uuid',
        data: { gameId: 'g', userId: 1 },
      });
      await addEntries(bystander, chatStarted(), messageSent('goes on'));
      await waitUntilChatPersisted(bystander, 'ChatStarted', 'goes on');
      expect(await listDeadLetters()).toEqual([]);
      await waitUntilChatPersisted(nul, 'ChatStarted', 'after');
      await waitUntilChatPersisted(noJson, 'ChatStarted', 'after');
      await waitUntilPersisted();
      expect((await listDeadLetters()).sort()).toEqual(
        [`${nul} 22P05`, `${noJson} UndecodableEvent`, `${noUuid} 22P02`].sort(),
      );
      expect(await readGauge('thaw_dead_letters')).toBe(3);
      expect(await readGauge('thaw_held_chats')).toBe(0);
      expect(lines.filter((line) => line.includes(nul) && line.includes('refused 5 times'))).toHaveLength(1);
      expect(lines.join()).not.toContain('secret');
    });

    it('is replayed in order and once when two replays run at the same time', async () => {
      const chat = createSessionId();
      const other = createSessionId();
      for (const key of await stack.store.listKeys('*:dead-letters')) await stack.store.redis.del(key);
      const addDeadLetter = (session: string, text: string) => {
        const fields = ['session', session, 'entry', `${Date.now()}-0`, 'event', text];
        return stack.store.redis.xadd(chatKeys(findShard(session)).deadLetters, '*', ...fields);
      };
      const encodeMessage = (content: string) => {
        const { type, data } = messageSent(content) as { type: string; data: object };
        return JSON.stringify({ i: randomUUID(), t: type, d: data });
      };
      await addDeadLetter(chat, encodeMessage('first'));
      await addDeadLetter(chat, encodeMessage('second'));
      await addDeadLetter(other, encodeMessage('of another chat'));
      expect(await readGauge('thaw_dead_letters')).toBe(3);
      expect(await listDeadLetters()).toHaveLength(3);
      const letters = worker.app.get(DeadLetterRepository);
      const counts = await Promise.all([letters.replay(), letters.replay()]);
      expect(counts[0] + counts[1]).toBe(3);
      await waitUntilChatPersisted(chat, 'first', 'second');
      await waitUntilChatPersisted(other, 'of another chat');
      expect(await letters.replay()).toBe(0);
      expect(await readGauge('thaw_dead_letters')).toBe(0);
    });
  });

  describe('the stream of an ended chat', () => {
    const readTtl = (sessionId: string) =>
      stack.store.redis.pttl(chatKeys(findShard(sessionId)).stream(sessionId));
    const addStream = (sessionId: string) =>
      stack.store.redis.xadd(chatKeys(findShard(sessionId)).stream(sessionId), '*', 'event', 'whatever');

    it('gets its expiry even if the worker loses its connection while it removes the entries', async () => {
      const chat = createSessionId();
      const redis = worker.app.get<Redis>(REDIS);
      const pipeline = redis.pipeline.bind(redis);
      let isCut = false;
      jest.spyOn(redis, 'pipeline').mockImplementation((...args) => {
        const realPipeline = pipeline(...args);
        // The connection is lost at XDEL: earlier commands are sent, later ones are not.
        realPipeline.xdel = () => {
          isCut = true;
          const exec = realPipeline.exec.bind(realPipeline);
          realPipeline.exec = async () => {
            await exec();
            throw new Error('Connection is closed.');
          };
          return realPipeline;
        };
        return realPipeline;
      });
      // On a cluster, commands are sent one by one.
      const call = redis.call.bind(redis);
      jest.spyOn(redis, 'call').mockImplementation((...args: Parameters<typeof call>) => {
        if (args[0] !== 'xdel') return call(...args);
        isCut = true;
        return Promise.reject(new Error('Connection is closed.'));
      });
      await addStream(chat);
      await addEntries(chat, chatStarted(), chatEnded);
      await until(() => isCut);
      await until(
        () => readTtl(chat),
        (ms) => ms > 0,
      );
      expect(await readOutboxLength()).toBe(2);
      jest.restoreAllMocks();
      await waitUntilPersisted();
      expect(await readTtl(chat)).toBeGreaterThan(0);
    });

    it('gets a lost expiry again, and streams of other chats get none', async () => {
      const [ended, live, unknownChat] = [createSessionId(), createSessionId(), createSessionId()];
      for (const sessionId of [ended, live, unknownChat]) await addStream(sessionId);
      await addEntries(ended, chatStarted(), chatEnded);
      await addEntries(live, chatStarted());
      await waitUntilPersisted();
      await stack.store.redis.persist(chatKeys(findShard(ended)).stream(ended));
      expect(await worker.app.get(ChatStreamSweepProcessor).sweep()).toMatchObject({ expiring: 1 });
      expect(await readTtl(ended)).toBeGreaterThan(9 * 60_000);
      expect([await readTtl(live), await readTtl(unknownChat)]).toEqual([-1, -1]);
    });
  });
});
