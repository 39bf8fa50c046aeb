import type { CaseFilter } from '@thaw/contract/moderation';
import type { ReportCategory } from '@thaw/contract/safety';
import { buildStandingKindSql } from '../../standings/application/standing.sql';

// The SQL of the case queue, which orders cases by urgency. The urgency is 0 to 1,000 points, the sum of:
// - a base for the gravest reason why the case waits: a report's category, an automatic finding, an appeal, or a ban to
//   confirm
// - points for further reporters, earlier sanctions (`priors`), an automatic case and the time of waiting
// It is halved if the reason is reports that all have weight 0: those of excluded or unreliable reporters.

/** The category `minor` means that the report is about a minor. */
const categoryBases: Record<ReportCategory, number> = {
  minor: 600,
  threat: 450,
  self_harm: 450,
  sexual: 300,
  hate: 250,
  privacy: 200,
  spam: 120,
  other: 100,
};
/** By kind of finding; `FindingKind` explains the kinds. */
const findingBases = { stated_age: 600, image_match: 500, classifier: 300, many_accounts: 150 };
/** By what the appealed notice is about. */
const appealBases = { sanctionInForce: 400, other: 350 };
const CONFIRMATION_BASE = 380;

// Points in addition to the base.
const POINTS_PER_FURTHER_REPORTER = 40;
const MAX_FURTHER_REPORTERS = 5;
const POINTS_PER_EARLIER_SANCTION = 60;
const EARLIER_SANCTIONS_PERIOD_DAYS = 365;
const MAX_EARLIER_SANCTIONS = 3;
/** For a case with an automatic finding or an automatic sanction. */
const AUTOMATIC_CASE_POINTS = 50;
/** For each full hour of waiting. */
const POINTS_PER_HOUR = 4;
const MAX_WAITING_POINTS = 200;
const MAX_URGENCY = 1_000;

/** An SQL expression for the number that `value` maps to; 0 for an unknown value. */
const buildLookUpSql = (value: string, numbers: Record<string, number>): string =>
  `CASE ${value} ${Object.entries(numbers)
    .map(([name, number]) => `WHEN '${name}' THEN ${number}`)
    .join(' ')} ELSE 0 END`;

/** An SQL expression for points that only a waiting case gets. */
const buildWaitingPointsSql = (points: string): string => `CASE WHEN is_waiting THEN ${points} ELSE 0 END`;

const reportersPartSql = buildWaitingPointsSql(
  `${POINTS_PER_FURTHER_REPORTER} * LEAST(${MAX_FURTHER_REPORTERS}, GREATEST(0, reporters - 1))`,
);
const priorsPartSql = buildWaitingPointsSql(
  `${POINTS_PER_EARLIER_SANCTION} * LEAST(${MAX_EARLIER_SANCTIONS}, priors)`,
);
const automaticPartSql = buildWaitingPointsSql(
  `CASE WHEN is_automatic THEN ${AUTOMATIC_CASE_POINTS} ELSE 0 END`,
);
/** As of `$1`. */
const waitingPartSql = buildWaitingPointsSql(`LEAST(${MAX_WAITING_POINTS}, ${POINTS_PER_HOUR} *
  GREATEST(0, floor(extract(epoch FROM $1::timestamptz - waiting_since) / 3600)))::int`);

/**
 * An SQL condition for bans by a moderator that no other moderator has confirmed yet. A ban that was inherited from
 * another account needs no confirmation.
 * @param sanctions the name or alias of the table `sanctions`
 */
const buildUnconfirmedBanSql = (sanctions: string): string =>
  `${sanctions}.kind = 'banned' AND ${sanctions}.confirmed_at IS NULL AND ${sanctions}.lifted_at IS NULL
     AND NOT ${sanctions}.is_automatic AND ${sanctions}.inherited_from IS NULL`;

/**
 * The cases that wait: undecided ones, and decided ones with an open appeal or an unconfirmed ban. `open_appeals` and
 * `unconfirmed_bans` are common table expressions of `buildMeasuredCasesSql`.
 */
const waitingIdsSql = `
  SELECT id FROM conduct_cases WHERE state <> 'decided' AND opened_at <= $1
  UNION SELECT case_id FROM open_appeals
  UNION SELECT case_id FROM unconfirmed_bans`;

/** Queries for the ids of cases. `buildCasePageSql` and `singleCaseSql` explain the parameters. */
const caseIdsSql: Record<CaseFilter | 'single', string> = {
  open: waitingIdsSql,
  // The cases of users under a legal hold.
  held: `SELECT id FROM conduct_cases
         WHERE user_id IN (SELECT user_id FROM standings WHERE is_held) AND opened_at <= $1`,
  // Selects one page only: decided cases are ordered by time, so no urgency has to be computed first.
  decided: `SELECT id FROM conduct_cases AS decided
            WHERE state = 'decided' AND ($3::timestamptz IS NULL OR (decided_at, id) < ($3, $4::bigint))
              AND NOT EXISTS (SELECT 1 FROM appeals WHERE case_id = decided.id AND appeals.decided_at IS NULL)
              AND NOT EXISTS (SELECT 1 FROM sanctions
                              WHERE sanctions.case_id = decided.id AND ${buildUnconfirmedBanSql('sanctions')})
            ORDER BY decided_at DESC, id DESC LIMIT $2`,
  single: 'SELECT $2::bigint AS id',
};

/**
 * Builds common table expressions. The last one, `measured_cases`, has the cases with their urgency as of `$1`.
 * Reports, appeals and sanctions after `$1` are ignored, so that paging through a list neither repeats nor skips cases.
 * Only the list of decided cases is current: a case leaves it as soon as it has an open appeal or an unconfirmed ban.
 * @param idsSql one of `caseIdsSql`
 */
const buildMeasuredCasesSql = (idsSql: string): string => `
open_appeals AS (
  SELECT appeals.case_id, min(appeals.created_at) AS filed_at,
         max(CASE WHEN sanctions.id IS NULL
               THEN ${appealBases.other} ELSE ${appealBases.sanctionInForce} END) AS base
  FROM appeals LEFT JOIN sanctions
    ON sanctions.user_id = appeals.user_id AND sanctions.notice_id = appeals.notice_id
   AND sanctions.lifted_at IS NULL AND (sanctions.until IS NULL OR sanctions.until > $1)
  WHERE appeals.decided_at IS NULL AND appeals.created_at <= $1
  GROUP BY appeals.case_id
), unconfirmed_bans AS (
  SELECT case_id, min(starts_at) AS imposed_at FROM sanctions
  WHERE ${buildUnconfirmedBanSql('sanctions')} AND case_id IS NOT NULL AND starts_at <= $1
  GROUP BY case_id
), selected_cases AS (
  SELECT cases.*, cases.state <> 'decided' AS is_undecided,
         open_appeals.filed_at AS appeal_filed_at, COALESCE(open_appeals.base, 0) AS appeal_base,
         unconfirmed_bans.imposed_at AS ban_imposed_at,
         CASE WHEN unconfirmed_bans.imposed_at IS NULL THEN 0 ELSE ${CONFIRMATION_BASE} END AS confirmation_base
  FROM (${idsSql}) AS ids
  JOIN conduct_cases AS cases ON cases.id = ids.id
  LEFT JOIN open_appeals ON open_appeals.case_id = cases.id
  LEFT JOIN unconfirmed_bans ON unconfirmed_bans.case_id = cases.id
), counted_cases AS (
  SELECT selected_cases.*, case_reports.reporters, earlier_sanctions.priors,
         -- Once a case is decided, its reports and its finding no longer count.
         CASE WHEN is_undecided THEN COALESCE(case_reports.base, 0) ELSE 0 END AS reports_base,
         CASE WHEN is_undecided THEN ${buildLookUpSql('finding', findingBases)} ELSE 0 END AS finding_base,
         (is_undecided OR appeal_filed_at IS NOT NULL OR ban_imposed_at IS NOT NULL) AS is_waiting,
         -- A decided case has been waiting since the appeal was filed or the ban was imposed.
         CASE WHEN is_undecided THEN opened_at
              ELSE COALESCE(LEAST(appeal_filed_at, ban_imposed_at), opened_at) END AS waiting_since
  FROM selected_cases
  CROSS JOIN LATERAL (
    -- Reporters who share a device have the same counts_as, so they count once.
    SELECT count(DISTINCT counts_as) FILTER (WHERE weight = 1)::int AS reporters,
           max(${buildLookUpSql('category', categoryBases)}) AS base
    FROM reports WHERE reports.case_id = selected_cases.id AND reports.created_at <= $1
  ) AS case_reports
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS priors FROM sanctions
    WHERE sanctions.user_id = selected_cases.user_id AND sanctions.lifted_at IS NULL
      AND sanctions.starts_at > $1::timestamptz - interval '${EARLIER_SANCTIONS_PERIOD_DAYS} days'
      AND sanctions.starts_at <= $1
      AND sanctions.case_id IS DISTINCT FROM selected_cases.id
  ) AS earlier_sanctions
), weighed_cases AS (
  SELECT counted_cases.*,
         GREATEST(finding_base, reports_base, appeal_base, confirmation_base) AS base,
         ${reportersPartSql} AS reporters_part,
         ${priorsPartSql} AS priors_part,
         ${automaticPartSql} AS automatic_part,
         ${waitingPartSql} AS waiting_part,
         -- The reason with the highest base; of equal ones, the first in this order. A case that does not wait keeps
         -- its stored kind. Findings and reports are not compared with a confirmation: they count only until the
         -- decision, and a ban is confirmed after it.
         CASE WHEN NOT is_waiting THEN kind
              WHEN finding_base > 0 AND finding_base = GREATEST(finding_base, reports_base, appeal_base) THEN 'finding'
              WHEN reports_base > 0 AND reports_base = GREATEST(reports_base, appeal_base) THEN 'reports'
              WHEN appeal_base > 0 AND appeal_base = GREATEST(appeal_base, confirmation_base) THEN 'appeal'
              WHEN confirmation_base > 0 THEN 'confirmation' ELSE kind END AS gravest_kind
  FROM counted_cases
), halved_cases AS (
  SELECT weighed_cases.*, is_waiting AND gravest_kind = 'reports' AND reporters = 0 AS is_halved FROM weighed_cases
), measured_cases AS (
  SELECT halved_cases.*,
         LEAST(${MAX_URGENCY}, base + reporters_part + priors_part + automatic_part + waiting_part)
           / (CASE WHEN is_halved THEN 2 ELSE 1 END) AS urgency
  FROM halved_cases
)`;

/** Selects the columns of `CaseRow` for the cases of the common table expression `page`. */
const selectCaseRowsSql = `
SELECT page.id, page.user_id, page.urgency, page.waiting_since, page.is_waiting, page.is_automatic, page.is_halved,
       page.base, page.reporters_part, page.priors_part, page.automatic_part, page.waiting_part,
       page.reporters, page.priors, page.gravest_kind AS kind, page.decided_at, page.decided_by, page.escalated_by,
       page.appeal_filed_at, page.ban_imposed_at, page.finding,
       CASE WHEN page.state = 'decided' AND page.is_waiting THEN 'open' ELSE page.state END AS state,
       -- Claims are shown as of now, not as of $1.
       page.claimed_by, page.claimed_until, page.claimed_until > now() AS is_claimed,
       -- The user may have been erased.
       COALESCE(users.username, '') AS username, COALESCE(users.is_anonymous, false) AS is_anonymous,
       -- A moderator's act on the case has to state the version of the user's whole conduct stream.
       COALESCE(event_streams.version, page.version)::int AS version,
       ${buildStandingKindSql('standings')} AS standing,
       (SELECT json_object_agg(category, number) FROM (
          SELECT category, count(*)::int AS number FROM reports
          WHERE reports.case_id = page.id AND reports.created_at <= $1 GROUP BY category) AS counts) AS categories
FROM page
LEFT JOIN users ON users.id = page.user_id
LEFT JOIN standings ON standings.user_id = page.user_id
LEFT JOIN event_streams ON event_streams.stream_id = 'conduct-' || page.user_id`;

/** Selects the rows of all cases in `idsSql`. */
const buildCaseRowsSql = (idsSql: string): string =>
  `WITH ${buildMeasuredCasesSql(idsSql)}, page AS (SELECT * FROM measured_cases) ${selectCaseRowsSql}`;

const urgencyOrderSql = 'urgency DESC, waiting_since, id';

/**
 * Selects a page of the queue. Parameters:
 * - $1: the time as of which the list is computed
 * - $2: the number of cases
 * - $3 to $5: when the last case of the previous page began to wait, its id, and its urgency; null for the first page
 *
 * The filter `decided` has no $5, and its $3 is the time of the decision.
 */
export const buildCasePageSql = (filter: CaseFilter): string => {
  if (filter === 'decided')
    return `${buildCaseRowsSql(caseIdsSql.decided)} ORDER BY page.decided_at DESC, page.id DESC`;
  return `WITH ${buildMeasuredCasesSql(caseIdsSql[filter])}, page AS (
      SELECT * FROM measured_cases
      WHERE $3::timestamptz IS NULL OR urgency < $5::int
         OR (urgency = $5::int AND (waiting_since, id) > ($3, $4::bigint))
      ORDER BY ${urgencyOrderSql} LIMIT $2)
    ${selectCaseRowsSql} ORDER BY ${urgencyOrderSql}`;
};

/** Selects one case. Parameters: $1 the time as of which its urgency is computed, $2 the id. */
export const singleCaseSql = buildCaseRowsSql(caseIdsSql.single);
