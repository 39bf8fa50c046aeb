import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { StreamVersionConflictError } from '../platform/event-store/event-store.errors';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import { ProjectionRegistry } from '../platform/event-store/projection.registry';
import {
  createEventTypes,
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

/** Appends, changes and deletes as the service does, in several sessions at once, until it is stopped. */
export class BusyEventStore {
  readonly eventStore: EventStoreRepository;
  /** Ids of the acknowledged events. */
  readonly appended: string[] = [];
  readonly deleted = new Set<string>();
  /** What each changed row of personal data holds now, by event. */
  readonly changed = new Map<string, string>();
  /** Ids of events in the order in which a reader of the log found them. */
  readonly followed: string[] = [];
  private readonly shared = createStreamId();
  private readonly loops: Promise<void>[] = [];
  private isStopping = false;

  constructor(private readonly service: DataSource) {
    this.eventStore = new EventStoreRepository(service, createEventTypes(), new ProjectionRegistry());
  }

  /**
   * @param rows personal data that is changed or deleted, in this order.
   * @param isFollowed whether a reader follows the log. It scans the table, so only where that is small.
   */
  start(rows: readonly PrivateRow[], { isFollowed = true } = {}): void {
    const queue = [...rows];
    this.loop(() => this.appendBatch());
    this.loop(() => this.appendShared());
    this.loop(() => this.appendShared());
    this.loop(() => this.changeNext(queue.shift()));
    if (isFollowed) this.loop(() => this.follow());
  }

  /** Waits for what is under way. @throws Error when anything was refused */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.loops);
    if (this.followed.length > 0) await this.followToEnd();
  }

  private loop(work: () => Promise<void>): void {
    const run = async () => {
      while (!this.isStopping) await work();
    };
    const running = run();
    running.catch(() => undefined); // reported by stop
    this.loops.push(running);
  }

  private async appendBatch(): Promise<void> {
    const streams = [createStreamId(), createStreamId(), `chat-${randomUUID()}`];
    const entries = streams.flatMap((streamId) => [
      { streamId, event: createSigned(1, 'Ada') },
      { streamId, event: createNoted('between') },
      { streamId, event: createSignedPermanently(2, 'Bob') },
    ]);
    const stored = await this.eventStore.appendBatch(entries);
    this.appended.push(...stored.map(({ eventId }) => eventId));
  }

  /** Two loops do this, so that one of them often finds another version than it expects. */
  private async appendShared(): Promise<void> {
    const { length } = await this.eventStore.read(this.shared);
    try {
      const stored = await this.eventStore.append(this.shared, length, [createSigned(3, 'Eve')]);
      this.appended.push(...stored.map(({ eventId }) => eventId));
    } catch (error) {
      if (!(error instanceof StreamVersionConflictError)) throw error;
    }
  }

  private async changeNext(row: PrivateRow | undefined): Promise<void> {
    if (!row) return void (await this.service.query('SELECT 1'));
    const key = [row.stream_id, row.event_id];
    if (this.deleted.size <= this.changed.size) {
      await this.service.query('DELETE FROM event_private WHERE stream_id = $1 AND event_id = $2', key);
      this.deleted.add(row.event_id);
      return;
    }
    const content = `changed ${this.changed.size}`;
    await this.service.query(
      `UPDATE event_private SET data = jsonb_build_object('content', $3::text), expires_at = NULL
       WHERE stream_id = $1 AND event_id = $2`,
      [...key, content],
    );
    this.changed.set(row.event_id, content);
  }

  /** Transactions of other databases on the server delay the moment from which all events can be read in order. */
  private async followToEnd(): Promise<void> {
    const [row] = await this.service.query<{ count: number }[]>('SELECT count(*)::int AS count FROM events');
    await until(async () => {
      await this.follow();
      return this.followed.length >= (row?.count ?? 0);
    });
  }

  /** Reads on in the order of transactions, of which every one before the present snapshot's is complete. */
  private async follow(): Promise<void> {
    const rows = await this.service.query<{ event_id: string }[]>(
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
