import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { StreamVersionConflictError } from '../platform/event-store/event-store.errors';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import { ProjectionRegistry } from '../platform/event-store/projection.registry';
import {
  createEventTypeRegistry,
  createNoted,
  createSigned,
  createSignedPermanently,
  createStreamId,
} from './test-event-store.harness';
import { until } from './until.functions';

export interface PrivateRow {
  stream_id: string;
  event_id: string;
}

/**
 * Uses the event store as the running service does, in concurrent database sessions: appends events, and changes and
 * deletes personal data. For tests of migrations that run meanwhile.
 */
export class BusyEventStore {
  readonly eventStore: EventStoreRepository;
  /** Ids of the events whose append has succeeded. */
  readonly appended: string[] = [];
  /** Ids of the events whose personal data was deleted. */
  readonly deleted = new Set<string>();
  /** The new content of each changed row of personal data, by event id. */
  readonly changed = new Map<string, string>();
  /** Ids of the events in the order in which a reader that follows the log found them. */
  readonly followed: string[] = [];
  private readonly sharedStreamId = createStreamId();
  private readonly loops: Promise<void>[] = [];
  private isStopping = false;

  constructor(private readonly dataSource: DataSource) {
    this.eventStore = new EventStoreRepository(
      dataSource,
      createEventTypeRegistry(),
      new ProjectionRegistry(),
    );
  }

  /**
   * @param rows personal data, taken in this order: one row is deleted, the next is changed, and so on.
   * @param isFollowed whether a reader follows the log. Only for small tables: no index has the order of transactions,
   * so each read scans the whole table.
   */
  start(rows: readonly PrivateRow[], { isFollowed = true } = {}): void {
    const queue = [...rows];
    this.loop(() => this.appendBatch());
    this.loop(() => this.appendShared());
    this.loop(() => this.appendShared());
    this.loop(() => this.deleteOrChange(queue.shift()));
    if (isFollowed) this.loop(() => this.follow());
  }

  /** Stops all loops and waits for their last operations. @throws the first error of a loop */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.loops);
    // Without a reader, `followed` is empty.
    if (this.followed.length > 0) await this.followToEnd();
  }

  private loop(work: () => Promise<void>): void {
    const run = async () => {
      while (!this.isStopping) await work();
    };
    const running = run();
    running.catch(() => undefined); // Not unhandled: `stop` awaits `running` and throws its error.
    this.loops.push(running);
  }

  private async appendBatch(): Promise<void> {
    const streams = [createStreamId(), createStreamId(), `chat-${randomUUID()}`];
    // Events with expiring personal data, without personal data, and with permanent personal data.
    const entries = streams.flatMap((streamId) => [
      { streamId, event: createSigned(1, 'Ada') },
      { streamId, event: createNoted('between') },
      { streamId, event: createSignedPermanently(2, 'Bob') },
    ]);
    const stored = await this.eventStore.appendBatch(entries);
    this.appended.push(...stored.map(({ eventId }) => eventId));
  }

  /** Two loops append to the same stream, so that version conflicts are frequent. */
  private async appendShared(): Promise<void> {
    const { length } = await this.eventStore.read(this.sharedStreamId);
    try {
      const stored = await this.eventStore.append(this.sharedStreamId, length, [createSigned(3, 'Eve')]);
      this.appended.push(...stored.map(({ eventId }) => eventId));
    } catch (error) {
      if (!(error instanceof StreamVersionConflictError)) throw error;
    }
  }

  /** Alternates: deletes one row and changes the next. */
  private async deleteOrChange(row: PrivateRow | undefined): Promise<void> {
    // When no rows are left, waits for a query; without any I/O, the loop would block all other work of this process.
    if (!row) {
      await this.dataSource.query('SELECT 1');
      return;
    }
    const key = [row.stream_id, row.event_id];
    const isTurnToDelete = this.deleted.size <= this.changed.size;
    if (isTurnToDelete) {
      await this.dataSource.query('DELETE FROM event_private WHERE stream_id = $1 AND event_id = $2', key);
      this.deleted.add(row.event_id);
      return;
    }
    const content = `changed ${this.changed.size}`;
    await this.dataSource.query(
      `UPDATE event_private SET data = jsonb_build_object('content', $3::text), expires_at = NULL
       WHERE stream_id = $1 AND event_id = $2`,
      [...key, content],
    );
    this.changed.set(row.event_id, content);
  }

  /**
   * Polls, because `follow` leaves out events while an older transaction runs, even one in another database of the
   * server.
   */
  private async followToEnd(): Promise<void> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM events',
    );
    await until(async () => {
      await this.follow();
      return this.followed.length >= (row?.count ?? 0);
    });
  }

  /**
   * Reads the next events in the order of their transactions. Stops before the oldest running transaction, since its
   * events may not be visible yet.
   */
  private async follow(): Promise<void> {
    const rows = await this.dataSource.query<{ event_id: string }[]>(
      `WITH last AS (SELECT transaction_id, global_position FROM events WHERE event_id = $1)
       SELECT event_id FROM events
       WHERE transaction_id < pg_snapshot_xmin(pg_current_snapshot()) AND ($1::uuid IS NULL OR
         (transaction_id, global_position) > ((SELECT transaction_id FROM last), (SELECT global_position FROM last)))
       ORDER BY transaction_id, global_position LIMIT 200`,
      [this.followed.at(-1) ?? null],
    );
    this.followed.push(...rows.map((row) => row.event_id));
  }
}
