import { Injectable } from '@nestjs/common';
import type { CaseFilter, CaseKind, CaseState } from '@thaw/contract/moderation';
import type { ReportCategory, StandingKind } from '@thaw/contract/safety';
import { DataSource } from 'typeorm';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import type { ImageHashes } from '../../image-blocks/application/image-blocks.service';
import { buildConductStreamId } from '../../standings/domain/standing.events';
import { buildCasePageSql, singleCaseSql } from './case-queue.sql';

/** A case, with the points by which the queue is sorted. Ids are strings: the driver returns bigint as text. */
export interface CaseRow {
  id: string;
  user_id: string;
  state: CaseState;
  kind: CaseKind;
  /** Version of the user's conduct stream. A moderator's act on the case has to state it. */
  version: number;
  /** The sum of `base` and the four `*_part` columns, but at most 1,000. Halved if `is_halved`. */
  urgency: number;
  /** Points for the gravest reason why the case waits. */
  base: number;
  reporters_part: number;
  priors_part: number;
  automatic_part: number;
  waiting_part: number;
  /** Whether the case waits because of reports, and all their reporters are excluded or unreliable (weight 0). */
  is_halved: boolean;
  /** Whether the case waits for a moderator: for a decision, the answer to an appeal, or the confirmation of a ban. */
  is_waiting: boolean;
  /** Whether the case has an automatic finding or an automatic sanction. */
  is_automatic: boolean;
  /** Number of distinct reporters, without those whose reports have weight 0. */
  reporters: number;
  /** Number of the user's sanctions from other cases in the last 365 days, without lifted ones. */
  priors: number;
  /**
   * When the case was opened. For a decided case that waits again: when the appeal was filed or the ban to confirm was
   * imposed, whichever came first.
   */
  waiting_since: Date;
  decided_at: Date | null;
  decided_by: string | null;
  escalated_by: string | null;
  /** When the earliest open appeal was filed. */
  appeal_filed_at: Date | null;
  /** When the earliest ban that waits for its confirmation was imposed. */
  ban_imposed_at: Date | null;
  claimed_by: string | null;
  claimed_until: Date | null;
  /** Whether the claim, which reserves the case for `claimed_by`, has not expired. Null without a claim. */
  is_claimed: boolean | null;
  username: string;
  is_anonymous: boolean;
  standing: StandingKind;
  /** Number of reports by category; null without reports. */
  categories: Record<string, number> | null;
}

/** Position of the last case of a page in its list. */
export interface PagePosition {
  /** Ignored in the list of decided cases, which is sorted by `sortTime` only. */
  urgency: number;
  /** When the case began to wait; in the list of decided cases, when the case was decided. */
  sortTime: Date;
  id: number;
}

export interface ReportRow {
  id: string;
  reporter_id: string;
  category: ReportCategory;
  weight: 0 | 1;
  created_at: Date;
  /** The event with the reporter's words and the evidence. */
  event_id: string;
  /** Number of decided reports among all reports by this reporter. */
  decided_count: number;
  /** Number of those that led to action. */
  upheld_count: number;
}

/** An event of a user's conduct stream, which has all reports, decisions and sanctions about the user. */
export interface ConductEventRow {
  eventId: string;
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

/** An event as it is stored. */
interface RawEvent {
  event_id: string;
  type: string;
  schema_version: number;
  occurred_at: Date;
  data: Record<string, unknown>;
  /** The personal fields of `data`, which are stored apart from it. Null if they are not read or were erased. */
  personal: Record<string, unknown> | null;
}

/** Queries about cases. They use the tables of conduct, users, friends and standings, and events of conduct streams. */
@Injectable()
export class CaseRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventTypes: EventTypeRegistry,
  ) {}

  /** Reads the time of the database, truncated to milliseconds, because cursors cannot represent microseconds. */
  async readDatabaseTime(): Promise<Date> {
    const [row] = await this.dataSource.query<{ now: Date }[]>(
      `SELECT date_trunc('milliseconds', now()) AS now`,
    );
    if (!row) throw new Error('The database returned no time');
    return row.now;
  }

  /**
   * Finds a page of a list of cases.
   * @param asOf the time as of which the list is computed; the same for all pages of a list
   * @param after the end of the previous page; null for the first page
   */
  findPage(filter: CaseFilter, asOf: Date, limit: number, after: PagePosition | null): Promise<CaseRow[]> {
    const parameters = [asOf, limit, after?.sortTime ?? null, after?.id ?? null];
    // Decided cases are not sorted by urgency, so their statement has no $5.
    const urgencyParameters = filter === 'decided' ? [] : [after?.urgency ?? null];
    return this.dataSource.query<CaseRow[]>(buildCasePageSql(filter), [...parameters, ...urgencyParameters]);
  }

  async find(caseId: number): Promise<CaseRow | null> {
    // The SQL, which the lists also use, has the time as a parameter: a list uses that of its first page for all pages.
    const asOf = await this.readDatabaseTime();
    const [row] = await this.dataSource.query<CaseRow[]>(singleCaseSql, [asOf, caseId]);
    return row ?? null;
  }

  /** Finds the user whom the case is about. */
  async findUserIdOfCase(caseId: number): Promise<number | null> {
    const [row] = await this.dataSource.query<{ user_id: string }[]>(
      'SELECT user_id FROM conduct_cases WHERE id = $1',
      [caseId],
    );
    return row ? Number(row.user_id) : null;
  }

  async findCaseIdOfAppeal(appealId: number): Promise<number | null> {
    const [row] = await this.dataSource.query<{ case_id: string }[]>(
      'SELECT case_id FROM appeals WHERE id = $1',
      [appealId],
    );
    return row ? Number(row.case_id) : null;
  }

  /** The user whom the sanction restricts, and the case in which it was imposed. */
  async findSanction(sanctionId: number): Promise<{ userId: number; caseId: number | null } | null> {
    const [row] = await this.dataSource.query<{ user_id: string; case_id: string | null }[]>(
      'SELECT user_id, case_id FROM sanctions WHERE id = $1',
      [sanctionId],
    );
    if (!row) return null;
    return { userId: Number(row.user_id), caseId: row.case_id === null ? null : Number(row.case_id) };
  }

  /** The reports of a case, oldest first, each with the reporter's numbers of decided and upheld reports. */
  findReports(caseId: number): Promise<ReportRow[]> {
    return this.dataSource.query<ReportRow[]>(
      `SELECT reports.*, reporter_totals.decided_count, reporter_totals.upheld_count
       FROM reports CROSS JOIN LATERAL (
         SELECT count(decided_at)::int AS decided_count,
                count(*) FILTER (WHERE outcome = 'action_taken')::int AS upheld_count
         FROM reports AS by_reporter WHERE by_reporter.reporter_id = reports.reporter_id
       ) AS reporter_totals
       WHERE case_id = $1 ORDER BY id`,
      [caseId],
    );
  }

  /** All events of the user's conduct stream, in order. Only events of the case have their personal fields. */
  async readConduct(userId: number, caseId: number): Promise<ConductEventRow[]> {
    const rows = await this.dataSource.query<RawEvent[]>(
      `SELECT events.event_id, events.type, events.schema_version, events.occurred_at, events.data,
              event_private.data AS personal
       FROM events LEFT JOIN event_private
         ON event_private.stream_id = events.stream_id AND event_private.event_id = events.event_id
        AND events.data ->> 'caseId' = $2
       WHERE events.stream_id = $1 ORDER BY events.stream_position`,
      [buildConductStreamId(userId), String(caseId)],
    );
    return rows.map((row) => this.upcastConductEvent(row));
  }

  private upcastConductEvent(row: RawEvent): ConductEventRow {
    const { data } = this.eventTypes.upcastEvent({
      type: row.type,
      schemaVersion: row.schema_version,
      data: { ...row.data, ...row.personal },
    });
    return { eventId: row.event_id, type: row.type, at: row.occurred_at, data };
  }

  /** Finds the parties of a case: the user whom it is about, and the reporters. */
  async findPartyIds(caseId: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT user_id AS id FROM conduct_cases WHERE id = $1
       UNION SELECT reporter_id FROM reports WHERE case_id = $1`,
      [caseId],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** Finds all moderators. `isFriend`: whether the moderator is a friend of one of the users in `friendsOf`. */
  async findAllModerators({
    friendsOf,
  }: {
    friendsOf: readonly number[];
  }): Promise<{ id: number; isFriend: boolean }[]> {
    const rows = await this.dataSource.query<{ id: string; is_friend: boolean }[]>(
      `SELECT id, EXISTS (
         SELECT 1 FROM friendships
         WHERE (low_id = users.id AND high_id = ANY($1::bigint[]))
            OR (high_id = users.id AND low_id = ANY($1::bigint[]))) AS is_friend
       FROM users WHERE is_moderator ORDER BY id`,
      [friendsOf],
    );
    return rows.map(({ id, is_friend: isFriend }) => ({ id: Number(id), isFriend }));
  }

  /** Finds the hashes by which images of a case are blocked. Leaves out images without a hash. */
  async findImageHashes(keys: readonly string[]): Promise<(ImageHashes & { key: string })[]> {
    return this.dataSource.query<(ImageHashes & { key: string })[]>(
      'SELECT key, sha256, dhash FROM uploads WHERE key = ANY($1) AND sha256 IS NOT NULL',
      [keys],
    );
  }
}
