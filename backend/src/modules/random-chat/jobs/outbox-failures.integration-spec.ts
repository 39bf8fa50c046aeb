// Runs against real workers in this process, PostgreSQL, Redis and BullMQ. The tests add entries to the outboxes, as
// replicas do. A chat is held while its next entry cannot be written: its later entries wait.
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

/** PostgreSQL cannot store NUL in a text. */
const TEXT_WITH_NUL = 'a secret with nul \u0000';
/** An event that only a newer release can write. */
const eventOfUnknownType = { type: 'ChatReported', data: { by: 1 } };
/** Reply of PTTL for a key that does not expire. */
const NO_EXPIRY = -1;

describe('OutboxWriterService on failures', () => {
  let stack: TestStack;
  let worker: TestWorker;

  const readOutboxLength = async () => (await worker.app.get(OutboxRepository).measureBacklog()).length;
  const waitUntilPersisted = () => until(readOutboxLength, (length) => length === 0, 30_000);
  /** Creates a chat whose events are in the same outbox as those of another chat. */
  const createSessionIdInShardOf = (sessionId: string) => createSessionId(sessionId);
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
  const readGauge = async (name: string): Promise<number> => {
    const { body } = await worker.app.get(MetricsRegistry).expose();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(body)?.[1]);
  };
  const listDeadLetters = async (): Promise<string[]> => {
    const letters: string[] = [];
    for await (const { sessionId, reason } of worker.app.get(DeadLetterRepository).list())
      letters.push(`${sessionId} ${reason}`);
    return letters;
  };
  /** Waits until the worker has called the spied method `times` more times. */
  const waitForCalls = async (spy: jest.SpyInstance, times: number) => {
    const previousCalls = spy.mock.calls.length;
    await untilWithin(30_000, () => spy.mock.calls.length >= previousCalls + times);
  };

  beforeAll(async () => {
    stack = await startTestStack(0); // without api replicas
    worker = await stack.startWorker();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await waitUntilPersisted();
  });
  afterAll(() => stack.close());

  describe('a failing PostgreSQL', () => {
    const failures: [name: string, causeFailure: string, repair: string][] = [
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

    it.each(failures)('delays every chat, but loses no event, on %s', async (_, causeFailure, repair) => {
      const chats = [createSessionId(), createSessionId(), createSessionId()];
      await stack.database.dataSource.query(causeFailure);
      const read = jest.spyOn(worker.app.get(OutboxRepository), 'read');
      for (const chat of chats) await addEntries(chat, chatStarted(), messageSent('kept'));
      // Each failing pass reads the outboxes of one shard group once. The three chats are in at most three groups, so
      // six passes include retries.
      await waitForCalls(read, 2 * chats.length);
      expect(await readOutboxLength()).toBe(2 * chats.length);
      await stack.database.dataSource.query(repair);
      for (const chat of chats) await waitUntilChatPersisted(chat, 'ChatStarted', 'kept');
      expect(await listDeadLetters()).toEqual([]);
    });

    it('delays all events and loses none while PostgreSQL is read-only (25006)', async () => {
      const setReadOnly = (to: 'on' | 'off') =>
        stack.database.withSession(async (client) => {
          // The setting of the database applies to new sessions only, so all others are terminated.
          await client.query('SET default_transaction_read_only = off'); // this session may be read-only itself
          await client.query(`ALTER DATABASE "${client.database}" SET default_transaction_read_only = ${to}`);
          await client.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          );
        });
      const chat = createSessionId();
      const messages = Array.from({ length: 10 }, (_, index) => messageSent(`acknowledged ${index}`));
      await setReadOnly('on');
      try {
        const read = jest.spyOn(worker.app.get(OutboxRepository), 'read');
        await addEntries(chat, chatStarted(), ...messages);
        // Several passes fail.
        await waitForCalls(read, 3);
        expect(await readOutboxLength()).toBe(1 + messages.length);
      } finally {
        await setReadOnly('off');
      }
      await until(
        () => readPersisted(chat),
        ({ length }) => length === 1 + messages.length,
        30_000,
      );
      expect(await listDeadLetters()).toEqual([]);
    });
  });

  describe('an entry that another release may be able to write', () => {
    it('delays only its own chat while the projection throws; afterwards the chat is persisted in order', async () => {
      const heldChat = createSessionId();
      const otherChat = createSessionIdInShardOf(heldChat);
      const projections = worker.app.get(ProjectionRegistry);
      const apply = projections.apply.bind(projections);
      const throwing = jest.spyOn(projections, 'apply').mockImplementation(async (events, manager) => {
        if (events.some(({ streamId, type }) => streamId === `chat-${heldChat}` && type === 'MessageSent')) {
          throw new TypeError('Cannot read properties of undefined');
        }
        return apply(events, manager);
      });
      await addEntries(heldChat, chatStarted(), messageSent('one'), messageSent('two'));
      await addEntries(otherChat, chatStarted(), messageSent('goes on'));
      await waitUntilChatPersisted(otherChat, 'ChatStarted', 'goes on');
      await addEntries(heldChat, messageSent('three'));
      await addEntries(otherChat, messageSent('and on'));
      await waitUntilChatPersisted(otherChat, 'ChatStarted', 'goes on', 'and on');
      expect(await readPersisted(heldChat)).toEqual(['ChatStarted']);
      expect(await readGauge('thaw_held_chats')).toBe(1);
      expect(await readOutboxLength()).toBe(3);
      throwing.mockRestore();
      await waitUntilChatPersisted(heldChat, 'ChatStarted', 'one', 'two', 'three');
      await until(
        () => readGauge('thaw_held_chats'),
        (count) => count === 0,
      );
      expect(await listDeadLetters()).toEqual([]);
    });

    it.each<[string, { type: string; version?: number; data: object }]>([
      ['an unknown type', eventOfUnknownType],
      ['an unknown version', { type: 'ReactionAdded', version: 2, data: { emojis: [] } }],
    ])('waits for a worker of a newer release: %s', async (_, event) => {
      const heldChat = createSessionId();
      const otherChat = createSessionIdInShardOf(heldChat);
      await addEntries(heldChat, chatStarted(), event, messageSent('after it'));
      await addEntries(otherChat, chatStarted());
      await waitUntilChatPersisted(otherChat, 'ChatStarted');
      await waitUntilChatPersisted(heldChat, 'ChatStarted');
      await until(
        () => readGauge('thaw_held_chats'),
        (count) => count === 1,
      );

      const newer = await stack.startWorker();
      const types = newer.app.get(EventTypeRegistry);
      // The newer release knows the version or the type of the event.
      if (event.version) jest.spyOn(types, 'upcast').mockImplementation((_type, _version, data) => data);
      else types.register([{ type: event.type, schemaVersion: 1, personalFields: [] }]);
      await waitUntilChatPersisted(heldChat, 'ChatStarted', event.type, 'after it');
      // The old worker releases the chat at its next retry, which is at most 30 s later.
      await until(
        () => readGauge('thaw_held_chats'),
        (count) => count === 0,
        40_000,
      );
      await newer.stop();
    });

    it('does not block other chats when 1,201 entries of its chat wait at the head of the outbox', async () => {
      const messages = Array.from({ length: 1_200 }, (_, index) => messageSent(`${index}`));
      const heldChat = createSessionId();
      const otherChat = createSessionIdInShardOf(heldChat);
      await addEntries(heldChat, chatStarted(), eventOfUnknownType, ...messages);
      await addEntries(otherChat, chatStarted(), messageSent('behind 1,200'));
      await waitUntilChatPersisted(otherChat, 'ChatStarted', 'behind 1,200');
      const read = jest.spyOn(worker.app.get(OutboxRepository), 'read');
      await addEntries(otherChat, messageSent('later'));
      await waitUntilChatPersisted(otherChat, 'ChatStarted', 'behind 1,200', 'later');
      // The held entries are not read again for every message, but a retry of the held chat may read them once.
      const pages = (
        await Promise.all(read.mock.results.map(({ value }) => value as ReturnType<OutboxRepository['read']>))
      ).flat();
      expect(pages.reduce((sum, { entries }) => sum + entries.length, 0)).toBeLessThan(2 * messages.length);
      expect(await readOutboxLength()).toBe(1 + messages.length);
      // No worker of these tests can write the held entry, and `afterEach` waits for empty outboxes.
      await stack.store.redis.del(chatKeys(findShard(heldChat)).outbox);
    });
  });

  describe('an invalid entry', () => {
    it('becomes a dead letter after five attempts, and the rest of its chat is persisted', async () => {
      const errorLines: string[] = [];
      jest.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => void errorLines.push(line));
      // Each of these chats has one invalid entry.
      const [nul, noJson, noUuid] = [createSessionId(), createSessionId(), createSessionId()];
      const bystander = createSessionIdInShardOf(nul);
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
      // The reasons are a SQLSTATE or the name of an error.
      expect((await listDeadLetters()).sort()).toEqual(
        [`${nul} 22P05`, `${noJson} UndecodableEvent`, `${noUuid} 22P02`].sort(),
      );
      expect(await readGauge('thaw_dead_letters')).toBe(3);
      expect(await readGauge('thaw_held_chats')).toBe(0);
      expect(
        errorLines.filter((line) => line.includes(nul) && line.includes('refused 5 times')),
      ).toHaveLength(1);
      // The log does not quote the text of a chat.
      expect(errorLines.join()).not.toContain('secret');
    });
  });

  describe('a dead letter', () => {
    it('is replayed once and in order when two replays run at the same time', async () => {
      const chat = createSessionId();
      const otherChat = createSessionId();
      // Removes the dead letters of earlier tests.
      for (const key of await stack.store.listKeys('*:dead-letters')) await stack.store.redis.del(key);
      const addDeadLetter = (session: string, text: string) => {
        const fields = ['session', session, 'entry', `${Date.now()}-0`, 'event', text];
        return stack.store.redis.xadd(chatKeys(findShard(session)).deadLetters, '*', ...fields);
      };
      const encodeMessage = (content: string) => {
        // With the short keys of chat-event.codec.ts: id, type, data.
        const { type, data } = messageSent(content) as { type: string; data: object };
        return JSON.stringify({ i: randomUUID(), t: type, d: data });
      };
      await addDeadLetter(chat, encodeMessage('first'));
      await addDeadLetter(chat, encodeMessage('second'));
      await addDeadLetter(otherChat, encodeMessage('of another chat'));
      expect(await readGauge('thaw_dead_letters')).toBe(3);
      expect(await listDeadLetters()).toHaveLength(3);
      const letters = worker.app.get(DeadLetterRepository);
      const counts = await Promise.all([letters.replay(), letters.replay()]);
      expect(counts[0] + counts[1]).toBe(3);
      await waitUntilChatPersisted(chat, 'first', 'second');
      await waitUntilChatPersisted(otherChat, 'of another chat');
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
      let isConnectionLost = false;
      jest.spyOn(redis, 'pipeline').mockImplementation((...args) => {
        const realPipeline = pipeline(...args);
        // XDEL, the last command, is not queued: the connection is lost after the commands before it.
        realPipeline.xdel = () => {
          isConnectionLost = true;
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
        isConnectionLost = true;
        return Promise.reject(new Error('Connection is closed.'));
      });
      await addStream(chat);
      await addEntries(chat, chatStarted(), chatEnded);
      await until(() => isConnectionLost);
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
      const [ended, live, unpersisted] = [createSessionId(), createSessionId(), createSessionId()];
      for (const sessionId of [ended, live, unpersisted]) await addStream(sessionId);
      await addEntries(ended, chatStarted(), chatEnded);
      await addEntries(live, chatStarted());
      await waitUntilPersisted();
      // PERSIST removes the expiry.
      await stack.store.redis.persist(chatKeys(findShard(ended)).stream(ended));
      expect(await worker.app.get(ChatStreamSweepProcessor).sweep()).toMatchObject({ endedWithoutExpiry: 1 });
      // The expiry is ten minutes.
      expect(await readTtl(ended)).toBeGreaterThan(9 * 60_000);
      expect([await readTtl(live), await readTtl(unpersisted)]).toEqual([NO_EXPIRY, NO_EXPIRY]);
    });
  });
});
