// Runs against a real worker in this process, PostgreSQL, Redis and BullMQ. While PostgreSQL fails, the events of all
// chats stay in the outboxes, and the worker tries again and again to write them.
import { Logger } from '@nestjs/common';
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { findShard, findShardGroup } from '../../../platform/redis/redis.keys';
import { chatStarted, createSessionId, messageSent } from '../../../testing/raw-outbox.fixture';
import { TestOutboxes } from '../../../testing/test-outboxes.harness';
import { until, untilWithin } from '../../../testing/until.functions';
import { OutboxWriterService } from './outbox-writer.service';

jest.setTimeout(60_000);

describe('OutboxWriterService while PostgreSQL fails', () => {
  const outboxes = TestOutboxes.useInTests();

  /** Waits until the worker has begun `count` more passes. In each it reads the outboxes of one shard group once. */
  const waitForPasses = async (count: number): Promise<void> => {
    const read = jest.spyOn(outboxes.worker.app.get(OutboxRepository), 'read');
    await untilWithin(30_000, () => read.mock.calls.length >= count);
  };

  const brokenTables: [name: string, causeFailure: string, repair: string][] = [
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

  it.each(brokenTables)('delays every chat, but loses no event, on %s', async (_, causeFailure, repair) => {
    const { dataSource } = outboxes.stack.database;
    const chats = [createSessionId(), createSessionId(), createSessionId()];
    await dataSource.query(causeFailure);
    for (const chat of chats) await outboxes.add(chat, chatStarted(), messageSent('kept'));
    // One for each chat, or fewer: chats of the same shard group share a pass. All further passes are retries.
    const maxFirstPasses = chats.length;
    const minRetries = chats.length;
    await waitForPasses(maxFirstPasses + minRetries);
    const eventsPerChat = 2;
    expect(await outboxes.readLength()).toBe(eventsPerChat * chats.length);
    await dataSource.query(repair);
    for (const chat of chats) await outboxes.waitUntilPersisted(chat, 'ChatStarted', 'kept');
    expect(await outboxes.listDeadLetters()).toEqual([]);
  });

  /** Makes the database read-only, like that of a standby server, or writable again. */
  const setReadOnly = (value: 'on' | 'off') =>
    outboxes.stack.database.withSession(async (client) => {
      // A session of a read-only database is read-only, too. Without this, it could not make the database writable.
      await client.query('SET default_transaction_read_only = off');
      await client.query(`ALTER DATABASE "${client.database}" SET default_transaction_read_only = ${value}`);
      // The setting applies to new sessions only. The worker opens new ones when its sessions are terminated.
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    });

  it('delays all events and loses none while PostgreSQL is read-only (25006)', async () => {
    const chat = createSessionId();
    const texts = Array.from({ length: 10 }, (_, index) => `acknowledged ${index}`);
    await setReadOnly('on');
    try {
      await outboxes.add(chat, chatStarted(), ...texts.map((text) => messageSent(text)));
      await waitForPasses(3);
      expect(await outboxes.readLength()).toBe(1 + texts.length);
    } finally {
      await setReadOnly('off');
    }
    await outboxes.waitUntilPersisted(chat, 'ChatStarted', ...texts);
    expect(await outboxes.listDeadLetters()).toEqual([]);
  });

  it('no longer counts a shard group as failed when another worker has written its events', async () => {
    const chat = createSessionId();
    const group = findShardGroup(findShard(chat));
    const log = jest.spyOn(Logger.prototype, 'log');
    const warn = jest.spyOn(Logger.prototype, 'warn');
    // Only this worker cannot reach PostgreSQL. The worker that starts later can.
    jest
      .spyOn(outboxes.worker.app.get(OutboxWriterService), 'write')
      .mockRejectedValue(new Error('connect ECONNREFUSED'));
    await outboxes.add(chat, chatStarted());
    await until(() => hasLogged(warn, `Shard group ${group} waits for its stores`));
    const otherWorker = await outboxes.stack.startWorker();
    await outboxes.waitUntilPersisted(chat, 'ChatStarted');
    await until(() => hasLogged(log, `Shard group ${group} is persisted again`));
    await otherWorker.stop();
  });
});

const hasLogged = ({ mock }: jest.SpyInstance<void, [message: unknown, ...rest: unknown[]]>, text: string) =>
  mock.calls.some(([message]) => String(message).startsWith(text));
