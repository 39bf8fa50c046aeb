import { DeadLetterRepository } from '../platform/hot-log/dead-letter.repository';
import { OutboxRepository } from '../platform/hot-log/outbox.repository';
import { MetricsRegistry } from '../platform/observability/metrics.registry';
import { findShard, findShardGroup } from '../platform/redis/redis.keys';
import { OutboxSchedulerService } from '../modules/random-chat/application/outbox-scheduler.service';
import { putIntoOutbox, type RawEvent } from './raw-outbox.fixture';
import { startTestStack, type TestStack, type TestWorker } from './test-stack.harness';
import { until } from './until.functions';

/** Time for several attempts to write an entry, whose delays grow. */
const PERSISTED_WITHIN_MS = 30_000;

/**
 * Outboxes in Redis, and a worker that writes them to PostgreSQL. There is no api replica: the tests add the entries of
 * the outboxes themselves, and can thus add invalid ones.
 */
export class TestOutboxes {
  /** Like `worker`, set before the first test. */
  stack!: TestStack;
  worker!: TestWorker;

  /**
   * Call this in a `describe`. Starts the worker before its tests; after each test, restores mocks and waits until the
   * worker has emptied the outboxes.
   */
  static useInTests(): TestOutboxes {
    const outboxes = new TestOutboxes();
    beforeAll(async () => {
      outboxes.stack = await startTestStack(0);
      outboxes.worker = await outboxes.stack.startWorker();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await outboxes.waitUntilEmpty();
    });
    afterAll(() => outboxes.stack.close());
    return outboxes;
  }

  /** Adds events of a chat to its outbox, and lets the worker process the outbox. */
  async add(sessionId: string, ...events: RawEvent[]): Promise<void> {
    await putIntoOutbox(this.stack.store.redis, sessionId, events);
    this.worker.app.get(OutboxSchedulerService).schedule(findShardGroup(findShard(sessionId)));
  }

  /** The number of entries in all outboxes: events that are not known to be in PostgreSQL. */
  async readLength(): Promise<number> {
    return (await this.worker.app.get(OutboxRepository).measureBacklog()).length;
  }

  waitUntilEmpty(): Promise<number> {
    return until(
      () => this.readLength(),
      (length) => length === 0,
      PERSISTED_WITHIN_MS,
    );
  }

  /** Reads the events of a chat in PostgreSQL: the text of each message, and the type of each other event. */
  async readPersisted(sessionId: string): Promise<string[]> {
    const rows = await this.stack.database.dataSource.query<{ type: string; content: string | null }[]>(
      `SELECT e.type, p.data->>'content' AS content FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
       WHERE stream_id = $1 ORDER BY stream_position`,
      [`chat-${sessionId}`],
    );
    return rows.map(({ type, content }) => content ?? type);
  }

  /** Waits until PostgreSQL has exactly these events of a chat, as `readPersisted` returns them. */
  waitUntilPersisted(sessionId: string, ...expected: string[]): Promise<string[]> {
    return until(
      () => this.readPersisted(sessionId),
      (persisted) => persisted.join() === expected.join(),
      PERSISTED_WITHIN_MS,
    );
  }

  /** Lists the dead letters as `<session id> <reason>`. */
  async listDeadLetters(): Promise<string[]> {
    const letters: string[] = [];
    for await (const { sessionId, reason } of this.worker.app.get(DeadLetterRepository).list())
      letters.push(`${sessionId} ${reason}`);
    return letters;
  }

  /** Reads a metric of the worker. */
  async readGauge(name: 'thaw_held_chats' | 'thaw_dead_letters'): Promise<number> {
    const { body } = await this.worker.app.get(MetricsRegistry).expose();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(body)?.[1]);
  }

  /** Waits until the metric of the worker says that it holds `count` chats. */
  waitForHeldChats(count: number, withinMs?: number): Promise<number> {
    return until(
      () => this.readGauge('thaw_held_chats'),
      (heldCount) => heldCount === count,
      withinMs,
    );
  }
}
