import { Injectable } from '@nestjs/common';
import type { CaseOutcome } from '@thaw/contract/moderation';
import { DataSource } from 'typeorm';
import { buildStandingKindSql } from '../../standings/application/standing.sql';

/** Numbers of the last 30 days, except `open_cases`, `oldest_open_case_age_s` and `care_pool`, which are current. */
export interface FiguresRow {
  /** Cases that wait for a moderator: undecided ones, and decided ones with an open appeal or an unconfirmed ban. */
  open_cases: number;
  oldest_open_case_age_s: number | null;
  /** Percentiles of the time from the opening of a case until a moderator decides it. */
  decision_p50_s: number | null;
  decision_p95_s: number | null;
  reports_by_category: Record<string, number>;
  decisions: { outcome: CaseOutcome; by: 'moderator' | 'automatic'; count: number }[];
  /** Numbers of decided appeals, by the moderator who decided the case (not the one who decided the appeal). */
  appeals: { moderatorId: number; decided: number; reversed: number }[];
  reports: number;
  blocks: number;
  /** Random chats that were started. */
  matches: number;
  /** Users with the standing `care`: they are flagged, and are matched only with each other. */
  care_pool: number;
}

const periodStartSql = `now() - interval '30 days'`;

/** The cases that wait for a moderator, and since when. */
const waitingSql = `
  SELECT id, min(since) AS since FROM (
    SELECT id, opened_at AS since FROM conduct_cases WHERE state <> 'decided'
    UNION ALL SELECT case_id, created_at FROM appeals WHERE decided_at IS NULL
    -- A ban by a moderator waits until another moderator has confirmed it. An inherited ban needs no confirmation.
    UNION ALL SELECT case_id, starts_at FROM sanctions
      WHERE kind = 'banned' AND confirmed_at IS NULL AND lifted_at IS NULL
        AND NOT is_automatic AND inherited_from IS NULL AND case_id IS NOT NULL
  ) AS reasons GROUP BY id`;

const figuresSql = `
WITH waiting AS (${waitingSql}),
decided AS (
  SELECT decided_by, outcome, extract(epoch FROM decided_at - opened_at) AS seconds
  FROM conduct_cases WHERE decided_at > ${periodStartSql}
), recent_reports AS (
  SELECT category, count(*)::int AS count FROM reports WHERE created_at > ${periodStartSql} GROUP BY category
)
SELECT
  (SELECT count(*)::int FROM waiting) AS open_cases,
  (SELECT extract(epoch FROM now() - min(since))::float8 FROM waiting) AS oldest_open_case_age_s,
  (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::float8
   FROM decided WHERE decided_by IS NOT NULL) AS decision_p50_s,
  (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds)::float8
   FROM decided WHERE decided_by IS NOT NULL) AS decision_p95_s,
  COALESCE((SELECT json_object_agg(category, count) FROM recent_reports), '{}') AS reports_by_category,
  COALESCE((SELECT json_agg(outcome_counts) FROM (
    SELECT outcome, CASE WHEN decided_by IS NULL THEN 'automatic' ELSE 'moderator' END AS by, count(*)::int AS count
    FROM decided GROUP BY 1, 2 ORDER BY 1, 2) AS outcome_counts), '[]') AS decisions,
  COALESCE((SELECT json_agg(appeal_counts) FROM (
    SELECT cases.decided_by AS "moderatorId", count(*)::int AS decided,
           count(*) FILTER (WHERE appeals.outcome = 'reversed')::int AS reversed
    FROM appeals JOIN conduct_cases AS cases ON cases.id = appeals.case_id
    WHERE appeals.decided_at > ${periodStartSql} AND cases.decided_by IS NOT NULL
    GROUP BY 1 ORDER BY 1) AS appeal_counts), '[]') AS appeals,
  (SELECT COALESCE(sum(count), 0)::int FROM recent_reports) AS reports,
  (SELECT count(*)::int FROM blocks WHERE created_at > ${periodStartSql}) AS blocks,
  (SELECT count(*)::int FROM chat_history WHERE created_at > ${periodStartSql}) AS matches,
  (SELECT count(*)::int FROM standings WHERE ${buildStandingKindSql('standings')} = 'care') AS care_pool`;

/** Reads the statistics on moderation in one query. */
@Injectable()
export class FiguresRepository {
  constructor(private readonly dataSource: DataSource) {}

  async read(): Promise<FiguresRow> {
    const [row] = await this.dataSource.query<FiguresRow[]>(figuresSql);
    if (!row) throw new Error('The figures of moderation have no row');
    return row;
  }
}
