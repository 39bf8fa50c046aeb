import { Injectable } from '@nestjs/common';
import type { CaseOutcome, CaseState } from '@thaw/contract/moderation';
import type { HouseRule } from '@thaw/contract/safety';
import { DataSource } from 'typeorm';
import { selectStandingSql, type StandingRow } from '../../standings/application/standing.sql';

export interface PersonRow extends StandingRow {
  id: string;
  username: string;
  is_anonymous: boolean;
  created_at: Date;
  /** Whether the user is under a legal hold, which prevents the erasure of their data. */
  is_held: boolean;
  /** Number of random chats. */
  matches: number;
  /** Number of reports about the user. */
  reports_received: number;
  /** Number of reports by the user. */
  reports_made: number;
  reports_made_decided: number;
  /** Reports by the user that led to action. */
  reports_made_upheld: number;
}

export interface SanctionRow {
  id: string;
  kind: 'suspended' | 'banned';
  rule: HouseRule;
  starts_at: Date;
  until: Date | null;
  lifted_at: Date | null;
  is_automatic: boolean;
  /** Whether the ban was confirmed in a second review; false for suspensions. */
  is_confirmed: boolean;
  case_id: string | null;
}

export interface PersonCaseRow {
  id: string;
  state: CaseState;
  opened_at: Date;
  outcome: CaseOutcome | null;
}

/** Queries about one user (here also called a person), for moderators. */
@Injectable()
export class PersonRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Whether the user has an account or, after its erasure, a case. A moderator must still be able to lift the legal
   * hold of an erased user, for example.
   */
  async exists(userId: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM users WHERE id = $1 UNION ALL (SELECT 1 FROM conduct_cases WHERE user_id = $1 LIMIT 1)',
      [userId],
    );
    return rows.length > 0;
  }

  /**
   * Finds what moderators see of a user; null when `exists` would return false. For an erased user, the name is empty
   * and `created_at` is the time of the first event in their stream.
   */
  async find(userId: number): Promise<PersonRow | null> {
    const [row] = await this.dataSource.query<PersonRow[]>(
      `SELECT person.id, COALESCE(users.username, '') AS username,
              COALESCE(users.is_anonymous, false) AS is_anonymous,
              COALESCE(users.created_at, (
                SELECT occurred_at FROM events WHERE stream_id = 'user-' || $1 ORDER BY stream_position LIMIT 1
              ), now()) AS created_at, -- never null, even if the log had no event of the user
              ${selectStandingSql('standings')}, COALESCE(standings.is_held, false) AS is_held,
              ((SELECT count(*) FROM chat_history WHERE user1_id = person.id)
               + (SELECT count(*) FROM chat_history WHERE user2_id = person.id))::int AS matches,
              (SELECT count(*) FROM reports WHERE reports.user_id = person.id)::int AS reports_received,
              made.reports_made, made.reports_made_decided, made.reports_made_upheld
       FROM (SELECT $1::bigint AS id) AS person
       LEFT JOIN users ON users.id = person.id
       LEFT JOIN standings ON standings.user_id = person.id
       CROSS JOIN LATERAL (
         SELECT count(*)::int AS reports_made, count(decided_at)::int AS reports_made_decided,
                count(*) FILTER (WHERE outcome = 'action_taken')::int AS reports_made_upheld
         FROM reports WHERE reporter_id = person.id
       ) AS made
       WHERE users.id IS NOT NULL OR EXISTS (SELECT 1 FROM conduct_cases WHERE user_id = person.id)`,
      [userId],
    );
    return row ?? null;
  }

  /** Newest first. */
  findSanctions(userId: number): Promise<SanctionRow[]> {
    return this.dataSource.query<SanctionRow[]>(
      `SELECT id, kind, rule, starts_at, until, lifted_at, is_automatic, case_id,
              confirmed_at IS NOT NULL AS is_confirmed
       FROM sanctions WHERE user_id = $1 ORDER BY id DESC`,
      [userId],
    );
  }

  /** Newest first. */
  findCases(userId: number): Promise<PersonCaseRow[]> {
    return this.dataSource.query<PersonCaseRow[]>(
      'SELECT id, state, opened_at, outcome FROM conduct_cases WHERE user_id = $1 ORDER BY id DESC',
      [userId],
    );
  }
}
