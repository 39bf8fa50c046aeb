import { Injectable } from '@nestjs/common';
import type { Erased } from '@thaw/contract/my-data';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { ErasureReason } from '../../users/application/user-erasure.service';

export interface Erasure {
  id: string;
  userId: number;
  reason: ErasureReason;
  requestedAt: Date;
  /** Number of completed steps. `erasureSteps` lists the steps in their order. */
  step: number;
  /** Number of erased items so far. */
  counts: Partial<Erased>;
  finishedAt: Date | null;
  /** The signed receipt; null until the erasure is finished. */
  receipt: string | null;
  /**
   * When Redis' append-only file was rewritten after this erasure had deleted keys from Redis. Until then, the file
   * contains the deleted keys.
   */
  rewrittenAt: Date | null;
}

interface ErasureRow {
  id: string;
  user_id: string;
  reason: ErasureReason;
  requested_at: Date;
  step: number;
  counts: Partial<Erased>;
  finished_at: Date | null;
  receipt: string | null;
  rewritten_at: Date | null;
}

/** The table `erasures`: the erasures that were requested, their progress and their receipts. */
@Injectable()
export class ErasureRepository {
  constructor(private readonly dataSource: DataSource) {}

  async add(
    { id, userId, reason, requestedAt }: Pick<Erasure, 'id' | 'userId' | 'reason' | 'requestedAt'>,
    manager: EntityManager,
  ): Promise<void> {
    await manager.query('INSERT INTO erasures (id, user_id, reason, requested_at) VALUES ($1, $2, $3, $4)', [
      id,
      userId,
      reason,
      requestedAt,
    ]);
  }

  async find(id: string, manager: EntityManager = this.dataSource.manager): Promise<Erasure | null> {
    const [row] = await manager.query<ErasureRow[]>('SELECT * FROM erasures WHERE id = $1', [id]);
    return row ? toErasure(row) : null;
  }

  /** Returns the given ids for which there is no erasure. */
  async findUnknown(ids: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM unnest($1::text[]) AS ids(id) WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.id = ids.id)',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Ids of erasures that are not finished. The least recently attempted one comes first. */
  async findRunning(limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM erasures WHERE finished_at IS NULL ORDER BY attempted_at NULLS FIRST LIMIT $1',
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Reopens the finished erasures that kept data because of a legal hold of a moderator, if the hold is lifted now.
   * They continue after the step `completedStep`.
   */
  async reopenAfterLiftedHolds(completedStep: number): Promise<void> {
    // `erasures.is_held` records that an erasure kept data; `standings.is_held` is the hold itself.
    await this.dataSource.query(
      `UPDATE erasures SET step = $1, finished_at = NULL, is_held = false
       WHERE is_held AND finished_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM standings WHERE standings.user_id = erasures.user_id AND standings.is_held)`,
      [completedStep],
    );
  }

  /**
   * Runs `work` unless another process works on the same erasure. If the process dies, the lock is released.
   * @returns whether `work` ran.
   * @throws whatever `work` throws; errors of PostgreSQL.
   */
  async runExclusively(id: string, work: () => Promise<void>): Promise<boolean> {
    const holder = this.dataSource.createQueryRunner();
    try {
      // The lock belongs to a transaction, not to the connection, because a transaction pooler lets processes share
      // connections. The transaction is idle while `work` uses other connections, so its idle timeout is off.
      await holder.startTransaction();
      await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const isLocked = await tryLock(holder, `erasures:${id}`);
      if (isLocked) {
        // Not in the transaction of the lock, which a failure of `work` rolls back.
        await this.dataSource.query('UPDATE erasures SET attempted_at = now() WHERE id = $1', [id]);
        await work();
      }
      await holder.commitTransaction();
      return isLocked;
    } catch (error) {
      // If the rollback fails as well, the first error is the one to report.
      if (holder.isTransactionActive) await holder.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await holder.release();
    }
  }

  async completeStep(id: string, step: number): Promise<void> {
    await this.dataSource.query('UPDATE erasures SET step = $2 WHERE id = $1', [id, step]);
  }

  /**
   * Adds to the number of erased items of a kind.
   * @param manager the transaction that erases the items, if they are in PostgreSQL.
   */
  async addToCount(
    id: string,
    kind: keyof Erased,
    added: number,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    if (added === 0) return;
    await manager.query(
      `UPDATE erasures SET counts = counts ||
         jsonb_build_object($2::text, coalesce((counts->>$2::text)::bigint, 0) + $3::bigint)
       WHERE id = $1`,
      [id, kind, added],
    );
  }

  /**
   * Sets the number of items of a kind that the erasure does not delete, such as random chats. A repeated step counts
   * all of them again, so adding would count them twice.
   */
  async setCount(id: string, kind: keyof Erased, value: number, manager: EntityManager): Promise<void> {
    await manager.query(
      'UPDATE erasures SET counts = counts || jsonb_build_object($2::text, $3::bigint) WHERE id = $1',
      [id, kind, value],
    );
  }

  async finish(
    id: string,
    { receipt, finishedAt, isHeld }: { receipt: string; finishedAt: Date; isHeld: boolean },
  ): Promise<void> {
    await this.dataSource.query(
      'UPDATE erasures SET receipt = $2, finished_at = $3, is_held = $4 WHERE id = $1',
      [id, receipt, finishedAt, isHeld],
    );
  }

  /** When a rewrite of Redis' append-only file was last recorded. */
  async findLastRewrite(): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ rewritten_at: Date | null }[]>(
      'SELECT max(rewritten_at) AS rewritten_at FROM erasures',
    );
    return row?.rewritten_at ?? null;
  }

  /**
   * Whether an erasure has deleted keys from Redis, and Redis' append-only file was not rewritten since. Ignores
   * erasures older than a day: if all attempts of a day have failed, Redis does not seem to allow rewrites.
   * @param redisDeletionStep number of the step that deletes keys from Redis
   */
  async awaitsRewrite(redisDeletionStep: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM erasures WHERE rewritten_at IS NULL AND step >= $1
         AND requested_at > now() - interval '1 day' LIMIT 1`,
      [redisDeletionStep],
    );
    return rows.length > 0;
  }

  /** Records a rewrite of the append-only file for each erasure that awaits one. */
  async recordRewrite(rewrittenAt: Date, redisDeletionStep: number): Promise<void> {
    await this.dataSource.query(
      'UPDATE erasures SET rewritten_at = $1 WHERE rewritten_at IS NULL AND step >= $2',
      [rewrittenAt, redisDeletionStep],
    );
  }
}

/** Takes an advisory lock until the end of the transaction. @returns false if another transaction holds it */
const tryLock = async (transaction: QueryRunner, name: string): Promise<boolean> => {
  const [row] = (await transaction.query(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isLocked"',
    [name],
  )) as { isLocked: boolean }[];
  return row?.isLocked === true;
};

const toErasure = (row: ErasureRow): Erasure => ({
  id: row.id,
  userId: Number(row.user_id),
  reason: row.reason,
  requestedAt: row.requested_at,
  step: row.step,
  counts: row.counts,
  finishedAt: row.finished_at,
  receipt: row.receipt,
  rewrittenAt: row.rewritten_at,
});
