import { Injectable } from '@nestjs/common';
import type { CaseFilter, CaseKind, CaseState } from '@thaw/contract/moderation';
import type { ReportCategory, StandingKind } from '@thaw/contract/safety';
import { DataSource } from 'typeorm';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import type { ImageHashes } from '../../image-blocks/application/image-blocks.service';
import { buildConductStreamId } from '../../standings/domain/standing.events';
import { buildCasePageSql, singleCaseSql } from './case-queue.sql';

/**
 * A case with its urgency: the sum of `base` and the four `*_part` columns, limited to 1,000, and then halved if
 * `is_halved`. Ids are strings: the driver returns bigint as text.
 */
export interface CaseRow {
  id: string;
  user_id: string;
  state: CaseState;
  kind: CaseKind;
  /** Version of the user's conduct stream. A moderator's act on the case has to state it. */
  version: number;
  urgency: number;
  /** Points for the gravest reason why the case waits. */
  base: number;
  reporters_part: number;
  priors_part: number;
  automatic_part: number;
  waiting_part: number;
  /** Whether the case waits because of reports that all have weight 0 (see `reporters`). */
  is_halved: boolean;
  /** Whether the case waits for a moderator: for a decision, the answer to an appeal, or the confirmation of a ban. */
  is_waiting: boolean;
  /** Whether the case has an automatic finding or an automatic sanction. */
  is_automatic: boolean;
  /** Number of distinct reporters whose reports have weight 1. Reports by excluded or unreliable reporters have 0. */
  reporters: number;
  /** Number of the user's sanctions of the last 365 days that other cases led to; lifted ones are not counted. */
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
  /** Whether a moderator has reserved the case: false if the claim has expired, null if none is recorded. */
  is_claimed: boolean | null;
  username: string;
  is_anonymous: boolean;
  standing: StandingKind;
  /** Number of reports by category; null without reports. */
  categories: Record<string, number> | null;
}

/** Position of the last case of a page in its list. */
export interface PagePosition {
  /** Not used for decided cases. */
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

interface RawEvent {
  event_id: string;
  type: string;
  schema_version: number;
  occurred_at: Date;
  data: Record<string, unknown>;
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
    const parameters: unknown[] = [asOf, limit, after?.sortTime ?? null, after?.id ?? null];
    // The statement for decided cases has no $5.
    if (filter !== 'decided') parameters.push(after?.urgency ?? null);
    return this.dataSource.query<CaseRow[]>(buildCasePageSql(filter), parameters);
  }

  async find(caseId: number): Promise<CaseRow | null> {
    // A parameter, because the statement shares its parts with those of the lists.
    const asOf = await this.readDatabaseTime();
    const [row] = await this.dataSource.query<CaseRow[]>(singleCaseSql, [asOf, caseId]);
    return row ?? null;
  }

  /** The user whom the case is about. */
  async findUserId(caseId: number): Promise<number | null> {
    return this.findNumber('SELECT user_id AS number FROM conduct_cases WHERE id = $1', caseId);
  }

  async findCaseOfAppeal(appealId: number): Promise<number | null> {
    return this.findNumber('SELECT case_id AS number FROM appeals WHERE id = $1', appealId);
  }

  /** The user whom the sanction restricts, and the case in which it was imposed. */
  async findSanction(sanctionId: number): Promise<{ userId: number; caseId: number | null } | null> {
    const [row] = await this.dataSource.query<{ user_id: string; case_id: string | null }[]>(
      'SELECT user_id, case_id FROM sanctions WHERE id = $1',
      [sanctionId],
    );
    return row
      ? { userId: Number(row.user_id), caseId: row.case_id === null ? null : Number(row.case_id) }
      : null;
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

  /** All events of the user's conduct stream, in order. Personal fields are included for events of the case only. */
  async readConduct(userId: number, caseId: number): Promise<ConductEventRow[]> {
    const rows = await this.dataSource.query<RawEvent[]>(
      `SELECT e.event_id, e.type, e.schema_version, e.occurred_at, e.data, p.data AS personal
       FROM events e LEFT JOIN event_private p
         ON p.stream_id = e.stream_id AND p.event_id = e.event_id AND e.data ->> 'caseId' = $2
       WHERE e.stream_id = $1 ORDER BY e.stream_position`,
      [buildConductStreamId(userId), String(caseId)],
    );
    return rows.map((row) => {
      const { type, schema_version: schemaVersion } = row;
      const event = { type, schemaVersion, data: { ...row.data, ...row.personal } };
      const { data } = this.eventTypes.upcastEvent(event);
      return { eventId: row.event_id, type, at: row.occurred_at, data };
    });
  }

  /** The ids of the parties of a case: the user whom it is about, and the reporters. */
  async findPartyIds(caseId: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT user_id AS id FROM conduct_cases WHERE id = $1
       UNION SELECT reporter_id FROM reports WHERE case_id = $1`,
      [caseId],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** Returns all moderators. `isFriend`: whether the moderator is a friend of one of the users in `friendsOf`. */
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

  /** The stored hashes of the images, without duplicates. Images without a hash are left out. */
  async findImageHashes(keys: readonly string[]): Promise<ImageHashes[]> {
    return this.dataSource.query<ImageHashes[]>(
      'SELECT DISTINCT ON (sha256) sha256, dhash FROM uploads WHERE key = ANY($1) AND sha256 IS NOT NULL',
      [keys],
    );
  }

  private async findNumber(sql: string, id: number): Promise<number | null> {
    const [row] = await this.dataSource.query<{ number: string }[]>(sql, [id]);
    return row ? Number(row.number) : null;
  }
}
