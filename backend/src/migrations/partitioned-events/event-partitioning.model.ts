import type { QueryRunner } from 'typeorm';
import {
  COPY_OF_EVENTS,
  COPY_OF_PRIVATE,
  copyEventsSql,
  copyPrivateSql,
  createMirrorsSql,
  createPartitionedTablesSql,
  discardCopiesSql,
  findEndOfEventBatchSql,
  findEndOfPrivateBatchSql,
  summariesSql,
} from './partitioned-tables.sql';
import { copySettingsSql, countOldSnapshotsSql, lockTablesSql, swapTablesSql } from './swap.sql';

/**
 * Longest wait for a lock. New transactions queue behind a pending lock request, so this is below the lock time-out of
 * the service (1 s). It is also below `deadlock_timeout`: in a conflict with the service, the migration is the one
 * that is cancelled.
 */
const LOCK_TIMEOUT_MS = 300;
const FIRST_RETRY_DELAY_MS = 200;
const MAX_RETRY_DELAY_MS = 15_000;

/**
 * Intended duration of a batch, to which the number of rows is adjusted. The batch locks the personal data that it
 * copies, so changes to this data wait until the batch is committed.
 */
const BATCH_MS = 200;
const FIRST_BATCH_ROWS = 500;
const MIN_BATCH_ROWS = 50;
const MAX_BATCH_ROWS = 20_000;
/** The pause after a batch, as a share of the batch's duration, in which the service has the disks for itself. */
const PAUSE_SHARE = 0.5;
const LOG_EVERY_MS = 10_000;

// Error codes of PostgreSQL.
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

/** Hooks and settings for tests. */
export interface PartitioningOptions {
  /** Called after each committed step, with its name. An error that it throws interrupts the conversion. */
  onStep?: (step: string) => void | Promise<void>;
  /** A fixed number of rows in every batch, without pauses. By default the number is adjusted to the duration. */
  batchRows?: number;
}

/** The only row of the table `event_partitioning`, which `prepare` creates. */
interface Progress {
  /** The last position to copy; the triggers copy later events. */
  eventsUntil: string;
  /** The last copied position. */
  eventsAfter: string;
  /** The last copied key of personal data: a stream and an event. */
  privateAfterStream: string;
  privateAfterEvent: string;
}

/**
 * Replaces `events` and `event_private` by partitioned tables while the service reads and writes them:
 *
 * 1. `prepare` creates the copies and, on the tables, triggers that repeat every write in the copies.
 * 2. `fill` copies the rows that were written before the triggers existed, in batches.
 * 3. `verify` compares all rows of the tables and the copies.
 * 4. `swap` drops the tables and gives their names to the copies, in one transaction of some milliseconds.
 *
 * Each step and each batch is one transaction. The state of the database determines which one is next, so a conversion
 * that was killed continues when it is run again (docs/decisions/0078).
 */
export class EventPartitioning {
  private lastLoggedAt: number | undefined;

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
    const [row] = await this.query<{ isPartitioned: boolean }>(
      `SELECT relkind = 'p' AS "isPartitioned" FROM pg_class WHERE oid = 'events'::regclass`,
    );
    return row?.isPartitioned ?? false;
  }

  private async isPrepared(): Promise<boolean> {
    const [row] = await this.query<{ isPrepared: boolean }>(
      `SELECT to_regclass('event_partitioning') IS NOT NULL AS "isPrepared"`,
    );
    return row?.isPrepared ?? false;
  }

  private async prepare(): Promise<void> {
    await this.retryWhileBusy(() =>
      this.inTransaction(async () => {
        await this.query(createPartitionedTablesSql);
        await this.query(copySettingsSql);
        // Locks the tables last, so that writers wait for as short a time as possible.
        await this.query('LOCK TABLE events, event_private IN SHARE ROW EXCLUSIVE MODE');
        await this.query(createMirrorsSql);
      }),
    );
    await this.reportStep('prepared');
  }

  /**
   * Copies rows in batches, until none is left.
   * @param copyNext copies a batch of at most `rows` rows; false if none was left.
   * @param content what the rows are, for the names of steps and for the log.
   */
  private async fill(copyNext: (rows: number) => Promise<boolean>, content: string): Promise<void> {
    let rows = this.options.batchRows ?? FIRST_BATCH_ROWS;
    let copied = 0;
    for (;;) {
      const startedAt = performance.now();
      const hasCopied = await this.retryWhileBusy(() =>
        this.inTransaction(async () => {
          // Forces index scans: the planner misjudges comparisons of keys that have several columns.
          await this.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
          return copyNext(rows);
        }),
      );
      if (!hasCopied) break;
      copied += rows;
      await this.reportStep(`copied ${content}`);
      this.logProgress(`about ${copied.toLocaleString('en')} rows of ${content} copied`);
      const durationMs = performance.now() - startedAt;
      if (this.options.batchRows === undefined) {
        rows = adjustBatchRows(rows, durationMs);
        await wait(durationMs * PAUSE_SHARE);
      }
    }
    await this.reportStep(`filled ${content}`);
  }

  private async copyNextEvents(rows: number): Promise<boolean> {
    const { eventsAfter, eventsUntil } = await this.readProgress();
    const [end] = await this.query<{ position: string | null }>(findEndOfEventBatchSql, [
      eventsAfter,
      eventsUntil,
      rows,
    ]);
    if (!end?.position) return false;
    await this.query(copyEventsSql, [eventsAfter, end.position]);
    await this.query('UPDATE event_partitioning SET events_after = $1', [end.position]);
    return true;
  }

  private async copyNextPrivate(rows: number): Promise<boolean> {
    const { privateAfterStream, privateAfterEvent } = await this.readProgress();
    const after = [privateAfterStream, privateAfterEvent];
    const [end] = await this.query<{ streamId: string; eventId: string }>(findEndOfPrivateBatchSql, [
      ...after,
      rows,
    ]);
    if (!end) return false;
    await this.query(copyPrivateSql, [...after, end.streamId, end.eventId]);
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

  /**
   * Compares all rows.
   * @throws Error when a copy differs from its table. The copies are removed, so the next run starts again.
   */
  private async verify(): Promise<void> {
    // Collects the statistics with which queries of the service are planned after the swap. Autovacuum does not
    // analyse a partitioned table as a whole.
    await this.retryWhileBusy(() => this.query(`ANALYZE ${COPY_OF_EVENTS}, ${COPY_OF_PRIVATE}`));
    const [row] =
      await this.query<Record<'events' | 'events_copy' | 'private' | 'private_copy', string>>(summariesSql);
    if (row && (row.events !== row.events_copy || row.private !== row.private_copy)) {
      await this.retryWhileBusy(() => this.inTransaction(() => this.query(discardCopiesSql)));
      throw new Error(
        `The partitioned copies are not equal to the tables and were removed; nothing else has changed. ` +
          `events: ${row.events}, copy: ${row.events_copy}; event_private: ${row.private}, copy: ${row.private_copy}`,
      );
    }
    await this.reportStep('verified');
  }

  private async swap(): Promise<void> {
    // Transactions whose snapshot is older than this transaction id do not see all rows of the copies.
    const [current] = await this.query<{ id: string }>('SELECT pg_current_xact_id()::xid::text AS id');
    await this.retryWhileBusy(() =>
      this.inTransaction(async () => {
        await this.query(lockTablesSql);
        const [oldSnapshots] = await this.query<{ count: number }>(countOldSnapshotsSql, [current?.id]);
        if (oldSnapshots?.count !== 0) throw new OldSnapshotsError();
        await this.query(swapTablesSql);
      }),
    );
    await this.reportStep('swapped');
  }

  private async reportStep(step: string): Promise<void> {
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

  /** Repeats `work`, with a growing delay, while another transaction is in its way. */
  private async retryWhileBusy<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let delayMs = FIRST_RETRY_DELAY_MS; ; delayMs = Math.min(MAX_RETRY_DELAY_MS, delayMs * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        this.logProgress('waiting for transactions of the service or of an operator');
        await wait(delayMs);
      }
    }
  }

  /** Logs at most every ten seconds. The first call only starts this interval, so a short conversion logs nothing. */
  private logProgress(text: string): void {
    this.lastLoggedAt ??= performance.now();
    if (performance.now() - this.lastLoggedAt < LOG_EVERY_MS) return;
    this.lastLoggedAt = performance.now();
    console.log(`Partitioning the events: ${text}.`);
  }

  private query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]> {
    return this.runner.query(sql, parameters) as Promise<Row[]>;
  }
}

/** Some transactions have a snapshot that is older than the last copied batch. */
class OldSnapshotsError extends Error {}

/** Whether a transaction of the service or of an operator was in the way. */
const isBusy = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return error instanceof OldSnapshotsError || code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED;
};

/** @returns the rows of the next batch: from a quarter to twice those of the last one, which took `durationMs`. */
const adjustBatchRows = (lastRows: number, durationMs: number): number => {
  const targetRows = (lastRows * BATCH_MS) / durationMs;
  const minRows = Math.max(MIN_BATCH_ROWS, lastRows / 4);
  const maxRows = Math.min(MAX_BATCH_ROWS, lastRows * 2);
  return Math.round(Math.min(maxRows, Math.max(minRows, targetRows)));
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
