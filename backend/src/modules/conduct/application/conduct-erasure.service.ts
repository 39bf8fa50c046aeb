import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** One kind of personal data that is kept after the erasure of a user. */
export interface KeptRecord {
  /** A description for the user. */
  what: string;
  why: 'open_case' | 'appeal_window' | 'legal_hold' | 'sanction';
  /** When the data expires; null while that depends on events to come. */
  until: Date | null;
}

interface KeptRow {
  /** The type of the event. */
  type: string;
  /** Whether the data is about the user's own conduct; otherwise it belongs to a report that the user filed. */
  is_own: boolean;
  is_held: boolean;
  is_undecided: boolean;
  until: Date | null;
}

/** Builds the SQL condition that the case with the id in this column has an undecided appeal. */
const hasUndecidedAppeal = (caseIdColumn: string): string =>
  `EXISTS (SELECT 1 FROM appeals WHERE appeals.case_id = ${caseIdColumn} AND appeals.decided_at IS NULL)`;

/** Builds the SQL condition that the data about the user with the id in this column is under a legal hold. */
const isHeld = (userIdColumn: string): string =>
  `EXISTS (SELECT 1 FROM standings WHERE standings.user_id = ${userIdColumn} AND is_held)`;

/**
 * SQL condition: the case, or an appeal against its decision, is undecided. An event without a case, such as the end of
 * a sanction, waits for no decision.
 */
const IS_UNDECIDED = `(COALESCE(cases.state <> 'decided', false) OR ${hasUndecidedAppeal('cases.id')})`;

/**
 * Erases what a user wrote in decided reports and appeals (the field `words`). Other data about conduct is kept until
 * it expires.
 */
@Injectable()
export class ConductErasureService {
  /**
   * Erases the words that the user wrote in decided appeals, and in decided reports of cases without an undecided
   * appeal. Words under a legal hold are kept.
   * @returns the number of erased texts.
   */
  async eraseWords(userId: number, manager: EntityManager): Promise<number> {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE event_private p SET data = p.data - 'words'
       FROM (
         SELECT 'conduct-' || user_id AS stream_id, event_id FROM reports
         WHERE reporter_id = $1 AND decided_at IS NOT NULL
           AND NOT ${hasUndecidedAppeal('reports.case_id')} AND NOT ${isHeld('reports.user_id')}
         UNION ALL
         SELECT 'conduct-' || user_id, event_id FROM appeals
         WHERE appellant_id = $1 AND decided_at IS NOT NULL AND NOT ${isHeld('appeals.user_id')}
       ) AS erasable
       WHERE p.stream_id = erasable.stream_id AND p.event_id = erasable.event_id AND p.data ? 'words'`,
      [userId],
    );
    // An appeal has no other personal data. `listKept` would list its empty row.
    await manager.query(
      `DELETE FROM event_private WHERE stream_id = 'conduct-' || $1::bigint AND data = '{}'`,
      [userId],
    );
    return count;
  }

  /** Lists the personal data that is kept of the user's conduct and of their reports: one entry per kind and reason. */
  async listKept(userId: number, manager: EntityManager): Promise<KeptRecord[]> {
    const rows = await manager.query<KeptRow[]>(
      `SELECT e.type, personal.is_own, COALESCE(standings.is_held, false) AS is_held,
         ${IS_UNDECIDED} AS is_undecided,
         CASE WHEN bool_or(p.expires_at IS NULL) THEN NULL ELSE max(p.expires_at) END AS until
       FROM (
         SELECT stream_id, event_id, true AS is_own, $1::bigint AS user_id
         FROM event_private WHERE stream_id = 'conduct-' || $1::bigint
         UNION ALL
         SELECT 'conduct-' || user_id, event_id, false, user_id FROM reports WHERE reporter_id = $1
       ) AS personal
       JOIN event_private p ON p.stream_id = personal.stream_id AND p.event_id = personal.event_id
       JOIN events e ON e.stream_id = p.stream_id AND e.event_id = p.event_id
       LEFT JOIN conduct_cases cases ON cases.id = (e.data->>'caseId')::bigint
       LEFT JOIN standings ON standings.user_id = personal.user_id
       GROUP BY e.type, personal.is_own, standings.is_held, is_undecided
       ORDER BY personal.is_own DESC, e.type`,
      [userId],
    );
    return mergeByKindAndReason(
      rows.map((row) => ({ what: describeKind(row), why: findReason(row), until: row.until })),
    );
  }
}

/** Types of events whose personal data is evidence. Other events contain texts of moderators and appellants. */
const evidenceTypes: readonly string[] = ['ReportFiled', 'FindingRaised'];

const describeKind = ({ type, is_own: isOwn }: KeptRow): string => {
  if (!isOwn) return 'evidence of a report by you';
  return evidenceTypes.includes(type)
    ? 'evidence of a report about you'
    : 'texts of decisions and appeals about you';
};

const findReason = (row: KeptRow): KeptRecord['why'] => {
  if (row.is_held) return 'legal_hold';
  if (row.is_undecided) return 'open_case';
  // Neither a hold nor an open case keeps the data, so an unknown expiry is due to a sanction without a known end.
  return row.until === null ? 'sanction' : 'appeal_window';
};

/** Merges records that differ only in their expiry, because several event types have the same description. */
const mergeByKindAndReason = (records: readonly KeptRecord[]): KeptRecord[] => {
  const merged = new Map<string, KeptRecord>();
  for (const record of records) {
    const key = `${record.what}|${record.why}`;
    const earlier = merged.get(key);
    const until = earlier ? pickLater(earlier.until, record.until) : record.until;
    merged.set(key, { ...record, until });
  }
  return [...merged.values()];
};

/** The later expiry; null when one of the two is not known yet. */
const pickLater = (one: Date | null, other: Date | null): Date | null => {
  if (one === null || other === null) return null;
  return one > other ? one : other;
};
