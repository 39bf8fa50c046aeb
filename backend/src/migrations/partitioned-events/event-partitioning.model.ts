import type { QueryRunner } from 'typeorm';
import {
  compareCopies,
  COPY_OF_EVENTS,
  COPY_OF_PRIVATE,
  copyEvents,
  copyPrivate,
  createMirrors,
  createPartitionedTables,
  discardCopies,
  findEndOfEvents,
  findEndOfPrivate,
} from './partitioned-tables.sql';
import { adoptSettings, countOldSnapshots, lockTables, swapTables } from './swap.sql';

/**
 * Longest wait for a lock. New transactions queue behind a pending lock request, so this is below the lock time-out of
 * the service (1 s). It is also below `deadlock_timeout`: in a conflict with the service, the migration is the one
 * that is cancelled.
 */
const LOCK_TIMEOUT_MS = 300;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 15_000;

/** Rows in a batch are adjusted to last about this long: for this time, changes to its personal data wait. */
const BATCH_MS = 200;
const [FIRST_ROWS, MIN_ROWS, MAX_ROWS] = [500, 50, 20_000];
/** The pause after a batch, as a share of its time, so that the service keeps its share of the disks. */
const PAUSE_SHARE = 0.5;
const REPORT_EVERY_MS = 10_000;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

/** What the conversion does between two transactions. Tests interrupt it there. */
export interface PartitioningOptions {
  /** Called after each committed step, with its name. */
  onStep?: (step: string) => void | Promise<void>;
  /** Rows of every batch; by default they are adjusted to the time that they take. */
  batchRows?: number;
}

interface Progress {
  eventsUntil: string;
  eventsAfter: string;
  privateAfterStream: string;
  privateAfterEvent: string;
}

/**
 * Replaces `events` and `event_private` by partitioned tables while the service reads and writes them:
 *
 * 1. `prepare` creates the copies and, on the tables, triggers that repeat every write in the copies.
 * 2. `fill` copies what was there before, in batches.
 * 3. `verify` compares all rows.
 * 4. `swap` renames, in one transaction of some milliseconds.
 *
 * Each step is one transaction, and the database alone says which one is next, so that it continues after a kill.
 */
export class EventPartitioning {
  private reportedAt = 0;

  constructor(
    private readonly runner: QueryRunner,
    private readonly options: PartitioningOptions = {},
  ) {}

  async run(): Promise<void> {
    if (await this.isPartitioned()) return;
    if (!(await this.isPrepared())) await this.prepare();
    await this.fill((rows) => this.copyNextEvents(rows), 'events');
    await this.fill((rows) => this.copyNextPrivate(rows), 'personal data');
    await this.verify();
    await this.swap();
  }

  private async isPartitioned(): Promise<boolean> {
    const [row] = await this.query<{ is: boolean }>(
      `SELECT relkind = 'p' AS is FROM pg_class WHERE oid = 'events'::regclass`,
    );
    return row?.is ?? false;
  }

  private async isPrepared(): Promise<boolean> {
    const [row] = await this.query<{ is: boolean }>(
      `SELECT to_regclass('event_partitioning') IS NOT NULL AS is`,
    );
    return row?.is ?? false;
  }

  private async prepare(): Promise<void> {
    await this.retryLocked(() =>
      this.inTransaction(async () => {
        await this.query(createPartitionedTables);
        await this.query(adoptSettings);
        // Last, so that writers wait for as short a time as possible.
        await this.query('LOCK TABLE events, event_private IN SHARE ROW EXCLUSIVE MODE');
        await this.query(createMirrors);
      }),
    );
    await this.completeStep('prepared');
  }

  /** @param copyNext copies a number of rows and resolves to false when there are none left. */
  private async fill(copyNext: (rows: number) => Promise<boolean>, what: string): Promise<void> {
    let rows = this.options.batchRows ?? FIRST_ROWS;
    let copied = 0;
    for (;;) {
      const startedAt = performance.now();
      const hasCopied = await this.retryLocked(() =>
        this.inTransaction(async () => {
          // The planner misjudges comparisons of keys of several columns.
          await this.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
          return copyNext(rows);
        }),
      );
      if (!hasCopied) break;
      copied += rows;
      await this.completeStep(`copied ${what}`);
      this.report(`about ${copied.toLocaleString('en')} rows of ${what} copied`);
      const spentMs = performance.now() - startedAt;
      if (this.options.batchRows === undefined) {
        rows = Math.round(
          Math.min(MAX_ROWS, Math.max(MIN_ROWS, (rows * BATCH_MS) / spentMs, rows / 4), rows * 2),
        );
        await wait(spentMs * PAUSE_SHARE);
      }
    }
    await this.completeStep(`filled ${what}`);
  }

  private async copyNextEvents(rows: number): Promise<boolean> {
    const { eventsAfter, eventsUntil } = await this.readProgress();
    const [end] = await this.query<{ position: string | null }>(findEndOfEvents, [
      eventsAfter,
      eventsUntil,
      rows,
    ]);
    if (!end?.position) return false;
    await this.query(copyEvents, [eventsAfter, end.position]);
    await this.query('UPDATE event_partitioning SET events_after = $1', [end.position]);
    return true;
  }

  private async copyNextPrivate(rows: number): Promise<boolean> {
    const { privateAfterStream, privateAfterEvent } = await this.readProgress();
    const after = [privateAfterStream, privateAfterEvent];
    const [end] = await this.query<{ streamId: string; eventId: string }>(findEndOfPrivate, [...after, rows]);
    if (!end) return false;
    await this.query(copyPrivate, [...after, end.streamId, end.eventId]);
    await this.query('UPDATE event_partitioning SET private_after_stream = $1, private_after_event = $2', [
      end.streamId,
      end.eventId,
    ]);
    return true;
  }

  private async readProgress(): Promise<Progress> {
    const [progress] = await this.query<Progress>(
      `SELECT events_until AS "eventsUntil", events_after AS "eventsAfter",
         private_after_stream AS "privateAfterStream", private_after_event AS "privateAfterEvent"
       FROM event_partitioning`,
    );
    if (!progress) throw new Error('The table event_partitioning is empty');
    return progress;
  }

  /** @throws Error when a copy differs from its table. The copies are removed, so the next run starts again. */
  private async verify(): Promise<void> {
    // The planner needs statistics for the service's first query, and autovacuum does not analyse a partitioned table
    // as a whole.
    await this.retryLocked(() => this.query(`ANALYZE ${COPY_OF_EVENTS}, ${COPY_OF_PRIVATE}`));
    const [row] =
      await this.query<Record<'events' | 'events_copy' | 'private' | 'private_copy', string>>(compareCopies);
    if (row && (row.events !== row.events_copy || row.private !== row.private_copy)) {
      await this.retryLocked(() => this.inTransaction(() => this.query(discardCopies)));
      throw new Error(
        `The partitioned copies are not equal to the tables and were removed; nothing else has changed. ` +
          `events: ${row.events}, copy: ${row.events_copy}; event_private: ${row.private}, copy: ${row.private_copy}`,
      );
    }
    await this.completeStep('verified');
  }

  private async swap(): Promise<void> {
    const [{ id } = { id: '' }] = await this.query<{ id: string }>(
      'SELECT pg_current_xact_id()::xid::text AS id',
    );
    await this.retryLocked(() =>
      this.inTransaction(async () => {
        await this.query(lockTables);
        const [old] = await this.query<{ count: number }>(countOldSnapshots, [id]);
        if (old?.count !== 0) throw new OldSnapshotsError();
        await this.query(swapTables);
      }),
    );
    await this.completeStep('swapped');
  }

  private async completeStep(step: string): Promise<void> {
    await this.options.onStep?.(step);
  }

  private async inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.runner.startTransaction();
    try {
      await this.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const result = await work();
      await this.runner.commitTransaction();
      return result;
    } catch (error) {
      await this.runner.rollbackTransaction();
      throw error;
    }
  }

  /** Repeats what gave way to the service, after a delay that grows. */
  private async retryLocked<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(MAX_RETRY_MS, delayMs * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!mustGiveWay(error)) throw error;
        this.report('waiting for transactions of the service or of an operator');
        await wait(delayMs);
      }
    }
  }

  private report(text: string): void {
    if (this.reportedAt === 0) this.reportedAt = performance.now();
    if (performance.now() - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = performance.now();
    console.log(`Partitioning the events: ${text}.`);
  }

  private query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return this.runner.query(sql, parameters) as Promise<Row[]>;
  }
}

/** Transactions run whose snapshots are older than the copies. */
class OldSnapshotsError extends Error {}

const mustGiveWay = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return error instanceof OldSnapshotsError || code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED;
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
