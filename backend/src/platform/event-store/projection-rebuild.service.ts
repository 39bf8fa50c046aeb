import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { MIGRATION_LOCK } from '../database/migration-lock.config';
import { TableCopyRepository } from '../database/table-copy.repository';
import { logWarning } from '../observability/warn-about.functions';
import { EventStoreRepository } from './event-store.repository';
import { LogPositionRepository } from './log-position.repository';
import { ProjectionRegistry } from './projection.registry';
import type { StoredEvent } from './stored-event.types';

/** Maximum number of events in a page. The events of a page are read and applied together. */
const PAGE_SIZE = 1_000;

// The exchange replaces the tables with their filled copies. Requests that use the tables wait for its end, so its two
// limits together are less than the lock time-out of api replicas, which is 1 s.
/** How long the exchange waits for the transactions that already use the tables. */
const EXCHANGE_LOCK_MS = 200;
/** How long the exchange may apply the events that the copies still lack. */
const EXCHANGE_APPLY_MS = 150;
/** The pause after the first failed exchange. Each further pause is twice as long, up to the maximum. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** For how long the exchange is retried: longer than a backup, which reads the tables in one long transaction. */
const MAX_RETRY_TIME_MS = 60 * 60_000;

/** Maximum number of attempts to apply a page of events to the repeatable projections (`Projection.isRepeatable`). */
const MAX_APPLY_AGAIN_ATTEMPTS = 10;
/** SQLSTATEs after which a transaction is tried again: deadlock, lock time-out and statement time-out. */
const BUSY_SQLSTATES = ['40P01', '55P03', '57014'];

/** How much of the log was applied to the copies. */
interface Progress {
  /** Settled position: no event can appear at or below it any more, and all events up to it were applied. */
  position: number;
  /** Number of these events. */
  count: number;
}

/**
 * Rebuilds every read model from the log, while the service runs (docs/decisions/0075). Fills copies of the tables; the
 * exchange then replaces the tables with the copies in one transaction. Projections without tables of their own get no
 * copies. The repeatable ones among them are passed the events of the log again.
 */
@Injectable()
export class ProjectionRebuildService {
  private readonly logger = new Logger(ProjectionRebuildService.name);
  private readonly positions: LogPositionRepository;

  constructor(
    private readonly dataSource: DataSource,
    private readonly eventStore: EventStoreRepository,
    private readonly projections: ProjectionRegistry,
  ) {
    this.positions = new LogPositionRepository(dataSource);
  }

  /**
   * Builds copies of the tables, and replaces the tables when the copies have every event. Until then the tables are
   * not changed, so a rebuild that fails or is killed can be repeated.
   * @returns the number of events read.
   * @throws Error when a migration or another rebuild runs, or when the tables stay in use for an hour.
   */
  async rebuild(): Promise<number> {
    return this.runExclusively(async () => {
      const tables = this.projections.list().flatMap((projection) => projection.tables);
      const copies = await TableCopyRepository.create(this.dataSource, tables);
      try {
        return await this.fillAndExchange(copies);
      } catch (error) {
        await copies
          .drop()
          .catch((cause: unknown) => logWarning(this.logger, 'Copies of tables stay', cause));
        throw error;
      }
    });
  }

  /** Holds the lock of migrations during `work`, because a migration must not change the tables during a rebuild. */
  private async runExclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    // An idle transaction holds the lock. A session could not, because a transaction pooler shares sessions between
    // processes.
    return this.dataSource.transaction(async (holder) => {
      await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const [row] = await holder.query<{ locked: boolean }[]>(
        'SELECT pg_try_advisory_xact_lock($1) AS locked',
        [MIGRATION_LOCK],
      );
      if (!row?.locked) throw new Error('A migration or another rebuild is running');
      return work();
    });
  }

  private async fillAndExchange(copies: TableCopyRepository): Promise<number> {
    let progress = await this.applyEarlierEvents(copies);
    await copies.analyze();
    const giveUpAt = Date.now() + MAX_RETRY_TIME_MS;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      progress = await this.catchUp(progress, copies);
      const totalCount = await this.tryExchange(progress, copies);
      if (totalCount !== null) return totalCount;
      if (Date.now() > giveUpAt) throw new Error('The tables were in use for an hour');
      this.logger.log('The tables are in use; the exchange is tried again');
      await wait(pauseMs);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /**
   * Applies the events from before the rebuild to the copies, and again to the repeatable projections. Later events are
   * not applied to these again: the transaction that appends an event applies it to every projection.
   */
  private async applyEarlierEvents(copies: TableCopyRepository): Promise<Progress> {
    const settled = await this.positions.findSettled();
    let count = 0;
    for await (const events of this.applyPages({ after: 0, upTo: settled }, copies)) {
      await this.applyAgain(events);
      count += events.length;
    }
    return { position: settled, count };
  }

  /** Applies new events in rounds, until a round takes no longer than the exchange may. */
  private async catchUp({ position, count }: Progress, copies: TableCopyRepository): Promise<Progress> {
    for (;;) {
      const settled = await this.positions.findSettled();
      const startedAt = performance.now();
      for await (const events of this.applyPages({ after: position, upTo: settled }, copies))
        count += events.length;
      position = settled;
      if (performance.now() - startedAt <= EXCHANGE_APPLY_MS) return { position, count };
    }
  }

  /** Applies a range of settled events to the copies, each page in its own transaction, and yields the pages. */
  private async *applyPages(
    { after, upTo }: { after: number; upTo: number },
    copies: TableCopyRepository,
  ): AsyncGenerator<readonly StoredEvent[]> {
    let lastPosition = after;
    for (;;) {
      const range = { after: lastPosition, upTo, limit: PAGE_SIZE };
      const events = await this.dataSource.transaction(async (manager) => {
        await manager.query('SET LOCAL statement_timeout = 0'); // a page may take longer than the default allows
        return this.applyPage(range, copies, manager);
      });
      yield events;
      if (events.length < PAGE_SIZE) return;
      lastPosition = events.at(-1)?.globalPosition ?? lastPosition;
    }
  }

  /** Applies events to the repeatable projections, which change rows that transactions of users may have locked. */
  private async applyAgain(events: readonly StoredEvent[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.dataSource.transaction((manager) => this.projections.applyAgain(events, manager));
        return;
      } catch (error) {
        if (!isBusy(error) || attempt === MAX_APPLY_AGAIN_ATTEMPTS) throw error;
      }
    }
  }

  /** Applies events of the log to the copies in the transaction of `manager`. */
  private async applyPage(
    range: { after: number; upTo: number; limit: number },
    copies: TableCopyRepository,
    manager: EntityManager,
  ): Promise<StoredEvent[]> {
    await copies.useCopies(manager);
    const events = await this.eventStore.readPage(range, manager);
    await this.projections.rebuildTables(events, manager);
    return events;
  }

  /**
   * Locks the tables, applies the remaining events and replaces the tables, in one transaction. The lock waits for
   * transactions that have changed the tables, so the remaining events include theirs. Other appends wait for the
   * exchange before they change the tables, and then change the new ones.
   * @returns the number of all events; null if the exchange would have taken too long, so that nothing was changed.
   */
  private async tryExchange(
    { position, count }: Progress,
    copies: TableCopyRepository,
  ): Promise<number | null> {
    try {
      return await this.dataSource.transaction(async (manager) => {
        // Limits each statement of the exchange. One statement locks all tables, so this is the limit of the wait for
        // all locks.
        await manager.query(`SET LOCAL statement_timeout = ${EXCHANGE_LOCK_MS}`);
        await copies.lockTables(manager);
        const applied = await this.applyRemaining(position, copies, manager);
        await copies.exchange(manager);
        return count + applied;
      });
    } catch (error) {
      if (error instanceof ApplyTimeExceededError || isBusy(error)) return null;
      throw error;
    }
  }

  /**
   * Applies the remaining events to the copies.
   * @returns the number of applied events.
   * @throws ApplyTimeExceededError when they take longer than EXCHANGE_APPLY_MS.
   */
  private async applyRemaining(
    position: number,
    copies: TableCopyRepository,
    manager: EntityManager,
  ): Promise<number> {
    const giveUpAt = performance.now() + EXCHANGE_APPLY_MS;
    let count = 0;
    let after = position;
    for (;;) {
      const range = { after, upTo: Number.MAX_SAFE_INTEGER, limit: PAGE_SIZE }; // up to the end of the log
      const events = await this.applyPage(range, copies, manager);
      count += events.length;
      if (events.length < PAGE_SIZE) return count;
      if (performance.now() > giveUpAt) throw new ApplyTimeExceededError();
      after = events.at(-1)?.globalPosition ?? after;
    }
  }
}

/** Rolls back an exchange that would delay requests for too long. */
class ApplyTimeExceededError extends Error {}

const isBusy = (error: unknown): boolean =>
  error instanceof QueryFailedError &&
  BUSY_SQLSTATES.includes((error.driverError as { code?: string }).code ?? '');
