import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Enough for any command about a user without undecided reports. Each of those needs one more number, for a notice. */
const NUMBERS_PER_COMMAND = 12;

/** A sanction (the source) that ends before the sanction that another account has inherited from it. */
export interface OutlivedSource {
  /** The user with the inherited sanction. */
  userId: number;
  sourceId: number;
  sourceEnd: Date | 'lifted';
}

/** Locks users for commands about their conduct, reserves numbers, and finds users whom the time limits concern. */
@Injectable()
export class ConductRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Waits for other commands about the same user, so that they do not conflict. The lock ends with the transaction. */
  async lock(userId: number, manager: EntityManager): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`conduct:${userId}`]);
  }

  /** Takes numbers from a sequence, enough for any command about the user. They become ids of cases, notices etc. */
  async reserveNumbers(userId: number, manager: EntityManager): Promise<number[]> {
    const rows = await manager.query<{ number: string }[]>(
      `SELECT nextval('conduct_ids') AS number FROM generate_series(1, $2::int +
         (SELECT count(*)::int FROM reports WHERE user_id = $1 AND decided_at IS NULL))`,
      [userId, NUMBERS_PER_COMMAND],
    );
    return rows.map((row) => Number(row.number));
  }

  /** The user whose conduct a notice is about, if it was sent to `recipientId`; null otherwise. */
  async findUserOfNotice(noticeId: number, recipientId: number): Promise<number | null> {
    const [row] = await this.dataSource.query<{ user_id: string }[]>(
      `SELECT cases.user_id FROM notices JOIN conduct_cases AS cases ON cases.id = notices.case_id
       WHERE notices.id = $1 AND notices.recipient_id = $2`,
      [noticeId, recipientId],
    );
    return row ? Number(row.user_id) : null;
  }

  /**
   * Finds users for whom a time limit has passed.
   * @param search.reviewMs the time in which a ban has to be confirmed
   * @param search.except ids of users to leave out
   */
  async findDueUserIds(search: {
    now: Date;
    reviewMs: number;
    except: readonly number[];
    limit: number;
  }): Promise<number[]> {
    const { now, reviewMs, except, limit } = search;
    const rows = await this.dataSource.query<{ user_id: string }[]>(
      `SELECT DISTINCT user_id FROM (
         -- Bans that were not confirmed in time.
         SELECT user_id FROM sanctions
         WHERE kind = 'banned' AND confirmed_at IS NULL AND lifted_at IS NULL AND inherited_from IS NULL
           AND starts_at <= $2
         UNION ALL
         -- Automatic suspensions that have ended, although their case is undecided.
         SELECT sanctions.user_id FROM sanctions JOIN conduct_cases AS cases ON cases.id = sanctions.case_id
         WHERE sanctions.is_automatic AND sanctions.lifted_at IS NULL AND sanctions.until <= $1
           AND cases.state <> 'decided'
           -- Not if the end of the suspension has already led to a flag, with this notice.
           AND NOT EXISTS (SELECT 1 FROM notices WHERE notices.case_id = cases.id
             AND notices.cause = 'sanction_lapsed' AND notices.created_at >= sanctions.until)
         UNION ALL
         -- Flags that have ended.
         SELECT user_id FROM standings WHERE flagged_until <= $1
       ) AS due WHERE user_id <> ALL ($3::bigint[]) ORDER BY user_id LIMIT $4`,
      [now, new Date(now.getTime() - reviewMs), except, limit],
    );
    return rows.map((row) => Number(row.user_id));
  }

  /**
   * Finds the inherited sanctions in force that last longer than their source. If other sanctions of the same case have
   * replaced the source, it ends when the last of them ends. Lifted sanctions do not count.
   * @param sourceUserId the user of the source sanctions; null for all users
   * @returns one entry for each inherited sanction, oldest first
   */
  async findOutlivedSources(sourceUserId: number | null, limit: number): Promise<OutlivedSource[]> {
    const rows = await this.dataSource.query<{ user_id: string; id: string; until: Date | null }[]>(
      `SELECT inherited.user_id, source.id, source_end.until
       FROM sanctions AS inherited JOIN sanctions AS source ON source.id = inherited.inherited_from
       CROSS JOIN LATERAL (
         SELECT max(COALESCE(until, 'infinity')) AS until FROM sanctions
         WHERE lifted_at IS NULL AND (id = source.id OR (user_id = source.user_id AND case_id = source.case_id))
       ) AS source_end
       -- The first condition makes PostgreSQL use the index of the few inherited sanctions.
       WHERE inherited.inherited_from IS NOT NULL AND inherited.lifted_at IS NULL
         AND COALESCE(inherited.until, 'infinity') > now()
         AND COALESCE(source_end.until, '-infinity') < COALESCE(inherited.until, 'infinity')
         AND ($1::bigint IS NULL OR source.user_id = $1)
       ORDER BY inherited.id LIMIT $2`,
      [sourceUserId, limit],
    );
    return rows.map(({ user_id: userId, id, until }) => ({
      userId: Number(userId),
      sourceId: Number(id),
      // Null if the source and all sanctions that replaced it were lifted.
      sourceEnd: until ?? 'lifted',
    }));
  }

  /** Whether the user got a notice about their own conduct at or after `since`, so their standing may have changed. */
  async hasConductNoticeSince(userId: number, since: Date): Promise<boolean> {
    const [row] = await this.dataSource.query<{ has_notice: boolean }[]>(
      `SELECT EXISTS (SELECT 1 FROM notices
         WHERE recipient_id = $1 AND created_at >= $2 AND kind <> 'report_decided') AS has_notice`,
      [userId, since],
    );
    return row?.has_notice === true;
  }

  /** A page of the users for whom `hasConductNoticeSince` is true, in the order of their ids. */
  async findUserIdsWithConductNoticeSince(
    since: Date,
    afterUserId: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await this.dataSource.query<{ recipient_id: string }[]>(
      `SELECT DISTINCT recipient_id FROM notices
       WHERE created_at >= $1 AND kind <> 'report_decided' AND recipient_id > $2 ORDER BY recipient_id LIMIT $3`,
      [since, afterUserId, limit],
    );
    return rows.map((row) => Number(row.recipient_id));
  }
}
