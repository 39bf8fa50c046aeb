import { goodStanding, type Standing } from '@thaw/contract/safety';

/**
 * A row with the columns that `selectStandingSql` lists. For users without a row in `standings`, the kind is `good` and
 * the other columns are null.
 */
export interface StandingRow {
  standing_kind: Standing['kind'];
  sanctioned_at: Date | null;
  sanctioned_until: Date | null;
  sanction_notice_id: string | null;
  age_asked_at: Date | null;
  age_notice_id: string | null;
  flagged_at: Date | null;
  flagged_until: Date | null;
  flag_notice_id: string | null;
}

/**
 * An SQL expression for the current kind of standing, from a row of `standings` or the nulls of a left join. A sanction
 * in force comes first, then `age_question` (the user has to answer whether they are an adult), then `care` (the user
 * is flagged, and matched only with other flagged users). Times are compared by PostgreSQL, so that all server
 * processes agree on the end of a suspension.
 * @param standings the name or alias of the table `standings`
 */
export const buildStandingKindSql = (standings: string): string => `CASE
    WHEN ${standings}.sanction_kind IS NOT NULL
      AND (${standings}.sanctioned_until IS NULL OR ${standings}.sanctioned_until > now())
      THEN ${standings}.sanction_kind
    WHEN ${standings}.age_asked_at IS NOT NULL THEN 'age_question'
    WHEN ${standings}.flagged_until > now() THEN 'care'
    ELSE 'good' END`;

/**
 * A select list with the columns of `StandingRow`, which `toStanding` converts.
 * @param standings the name or alias of the joined table `standings`
 */
export const selectStandingSql = (
  standings: string,
): string => `${buildStandingKindSql(standings)} AS standing_kind,
    ${standings}.sanctioned_at, ${standings}.sanctioned_until, ${standings}.sanction_notice_id,
    ${standings}.age_asked_at, ${standings}.age_notice_id,
    ${standings}.flagged_at, ${standings}.flagged_until, ${standings}.flag_notice_id`;

/** Converts a row to the standing that clients receive. */
export const toStanding = (row: StandingRow): Standing => {
  switch (row.standing_kind) {
    case 'suspended':
    case 'banned':
      return buildStanding(row.standing_kind, {
        since: row.sanctioned_at,
        until: row.sanctioned_until,
        noticeId: row.sanction_notice_id,
      });
    case 'age_question':
      return buildStanding(row.standing_kind, {
        since: row.age_asked_at,
        until: null,
        noticeId: row.age_notice_id,
      });
    case 'care':
      return buildStanding(row.standing_kind, {
        since: row.flagged_at,
        until: row.flagged_until,
        noticeId: row.flag_notice_id,
      });
    case 'good':
      return goodStanding;
  }
};

const buildStanding = (
  kind: Standing['kind'],
  { since, until, noticeId }: { since: Date | null; until: Date | null; noticeId: string | null },
): Standing => ({
  kind,
  since: since?.toISOString() ?? null,
  until: until?.toISOString() ?? null,
  noticeId: noticeId === null ? null : Number(noticeId),
});
