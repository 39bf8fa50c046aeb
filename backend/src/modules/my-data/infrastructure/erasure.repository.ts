import { Injectable } from '@nestjs/common';
import type { Erased, Remaining } from '@thaw/contract/my-data';
import { DataSource, type EntityManager } from 'typeorm';
import type { ErasureReason } from '../../users/application/user-erasure.service';

export interface Erasure {
  id: string;
  userId: number;
  reason: ErasureReason;
  requestedAt: Date;
  /** Number of the last step that is complete, from 1; 0 before the first. `erasureSteps` lists the steps. */
  step: number;
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

/**
 * $1: id of the user. Each of the two conditions has an index, so the table is not scanned. Exported for the test of
 * this.
 */
export const DELETE_READ_POSITIONS_SQL = 'DELETE FROM private_reads WHERE user_id = $1 OR friend_id = $1';

/** The table `erasures`, and the queries with which an erasure finds, counts and deletes rows of other tables. */
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
   * Reopens the finished erasures for which a legal hold of a moderator kept data, once the hold has been lifted. They
   * continue after the step `completedStep`.
   */
  async reopenAfterLiftedHolds(completedStep: number): Promise<void> {
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
      const [row] = (await holder.query(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
        [`erasures:${id}`],
      )) as { locked: boolean }[];
      if (row?.locked) {
        await this.dataSource.query('UPDATE erasures SET attempted_at = now() WHERE id = $1', [id]);
        await work();
      }
      await holder.commitTransaction();
      return row?.locked === true;
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

  /** When Redis' append-only file was last rewritten. */
  async findLastRewrite(): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ rewritten_at: Date | null }[]>(
      'SELECT max(rewritten_at) AS rewritten_at FROM erasures',
    );
    return row?.rewritten_at ?? null;
  }

  /**
   * Whether an erasure has deleted keys from Redis, and Redis' append-only file was not rewritten since. Erasures
   * that are older than a day do not count: after a day of failed attempts, Redis is assumed not to allow it.
   */
  async awaitsRewrite(redisDeletionStep: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM erasures WHERE rewritten_at IS NULL AND step >= $1
         AND requested_at > now() - interval '1 day' LIMIT 1`,
      [redisDeletionStep],
    );
    return rows.length > 0;
  }

  /** Records a rewrite for each erasure that has deleted keys from Redis. */
  async recordRewrite(rewrittenAt: Date, redisDeletionStep: number): Promise<void> {
    await this.dataSource.query(
      'UPDATE erasures SET rewritten_at = $1 WHERE rewritten_at IS NULL AND step >= $2',
      [rewrittenAt, redisDeletionStep],
    );
  }

  /** Deletes the sessions, the credentials and the devices of a user. @returns the number of sessions. */
  async deleteAccess(userId: number, manager: EntityManager): Promise<number> {
    const [, sessions] = await manager.query<[unknown, number]>('DELETE FROM sessions WHERE user_id = $1', [
      userId,
    ]);
    await manager.query('DELETE FROM credentials WHERE user_id = $1', [userId]);
    await manager.query('DELETE FROM devices WHERE user_id = $1', [userId]);
    return sessions;
  }

  async deleteReadPositions(userId: number, manager: EntityManager): Promise<void> {
    await manager.query(DELETE_READ_POSITIONS_SQL, [userId]);
  }

  async countPrivateMessages(userId: number, manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM private_messages WHERE sender_id = $1 AND NOT is_deleted',
      [userId],
    );
    return row?.count ?? 0;
  }

  /** Ids, above `afterId`, of anonymous users who were created before `cutoff` and refreshed no session since. */
  async findInactiveAnonymousUsers(cutoff: Date, limit: number, afterId: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM users
       WHERE is_anonymous AND created_at < $1 AND id > $3 AND NOT EXISTS (
         SELECT 1 FROM sessions WHERE sessions.user_id = users.id AND refreshed_at >= $1)
       ORDER BY id LIMIT $2`,
      [cutoff, limit, afterId],
    );
    return rows.map((row) => Number(row.id));
  }

  /**
   * Whether the user is still anonymous and refreshed no session since `cutoff`. Locks the sessions, so that none is
   * refreshed before the end of the transaction.
   */
  async lockAndCheckInactivity(userId: number, cutoff: Date, manager: EntityManager): Promise<boolean> {
    const sessions = await manager.query<{ refreshed_at: Date }[]>(
      'SELECT refreshed_at FROM sessions WHERE user_id = $1 FOR UPDATE',
      [userId],
    );
    const users = await manager.query<unknown[]>('SELECT 1 FROM users WHERE id = $1 AND is_anonymous', [
      userId,
    ]);
    return users.length > 0 && sessions.every(({ refreshed_at: refreshedAt }) => refreshedAt < cutoff);
  }

  /** When the user's account was created; null when the event log has no such user. */
  async findAccountStart(userId: number): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ occurred_at: Date }[]>(
      'SELECT occurred_at FROM events WHERE stream_id = $1 AND stream_position = 1',
      [`user-${userId}`],
    );
    return row?.occurred_at ?? null;
  }

  /** Counts what is stored about a user at this moment. */
  async countRemaining(userId: number): Promise<Remaining> {
    const [row] = await this.dataSource.query<Omit<Remaining, 'total'>[]>(
      `SELECT
         -- Events with personal fields: those about the user, and all of the user's conduct stream.
         (SELECT count(*) FROM event_private WHERE subject_id = $1 OR stream_id = 'conduct-' || $1::bigint)::int
           AS "personalFields",
         (SELECT count(*) FROM uploads WHERE owner_id = $1)::int AS uploads,
         (SELECT count(*) FROM sessions WHERE user_id = $1)::int AS sessions,
         (SELECT count(*) FROM credentials WHERE user_id = $1)::int AS credentials,
         (SELECT count(*) FROM devices WHERE user_id = $1)::int AS devices`,
      [userId],
    );
    if (!row) throw new Error('A count returned no row');
    const { personalFields, uploads, sessions, credentials, devices } = row;
    return { ...row, total: personalFields + uploads + sessions + credentials + devices };
  }
}

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
