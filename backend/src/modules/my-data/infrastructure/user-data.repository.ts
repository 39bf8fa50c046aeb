import { Injectable } from '@nestjs/common';
import type { Remaining } from '@thaw/contract/my-data';
import { DataSource, type EntityManager } from 'typeorm';

/** $1: id of the user. Exported for a test that the table is not scanned: each of the two conditions has an index. */
export const DELETE_READ_POSITIONS_SQL = 'DELETE FROM private_reads WHERE user_id = $1 OR friend_id = $1';

/**
 * The part of a user's data that this module itself finds, counts and deletes for an erasure. The services of other
 * modules erase the rest.
 */
@Injectable()
export class UserDataRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Deletes the sessions, the credentials and the devices of a user.
   * @returns the number of sessions
   */
  async deleteAccess(userId: number, manager: EntityManager): Promise<number> {
    const [, sessionCount] = await manager.query<[unknown, number]>(
      'DELETE FROM sessions WHERE user_id = $1',
      [userId],
    );
    await manager.query('DELETE FROM credentials WHERE user_id = $1', [userId]);
    await manager.query('DELETE FROM devices WHERE user_id = $1', [userId]);
    return sessionCount;
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

  /**
   * Finds anonymous users who were created before `cutoff` and have refreshed no session since `cutoff`.
   * @returns at most `limit` ids that are greater than `afterId`, in ascending order
   */
  async findInactiveAnonymousUsers(
    cutoff: Date,
    { afterId, limit }: { afterId: number; limit: number },
  ): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM users
       WHERE is_anonymous AND created_at < $1 AND id > $2 AND NOT EXISTS (
         SELECT 1 FROM sessions WHERE sessions.user_id = users.id AND refreshed_at >= $1)
       ORDER BY id LIMIT $3`,
      [cutoff, afterId, limit],
    );
    return rows.map((row) => Number(row.id));
  }

  /**
   * Whether the user is still anonymous and has refreshed no session since `cutoff`. Locks the sessions, so that none
   * is refreshed before the end of the transaction.
   */
  async lockAndCheckInactivity(userId: number, cutoff: Date, manager: EntityManager): Promise<boolean> {
    const sessions = await manager.query<{ refreshed_at: Date }[]>(
      'SELECT refreshed_at FROM sessions WHERE user_id = $1 FOR UPDATE',
      [userId],
    );
    const anonymousUsers = await manager.query<unknown[]>(
      'SELECT 1 FROM users WHERE id = $1 AND is_anonymous',
      [userId],
    );
    const isInactive = sessions.every(({ refreshed_at: refreshedAt }) => refreshedAt < cutoff);
    return anonymousUsers.length > 0 && isInactive;
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
