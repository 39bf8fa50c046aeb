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
  is_open: boolean;
  until: Date | null;
}

/**
 * SQL condition: the case, or an appeal against its decision, is undecided. An event without a case, such as the end of
 * a sanction, waits for no decision.
 */
const IS_UNDECIDED = `(COALESCE(cases.state <> 'decided', false) OR EXISTS (
  SELECT 1 FROM appeals WHERE appeals.case_id = cases.id AND appeals.decided_at IS NULL))`;

/**
 * Erases what a user wrote in decided reports and appeals (the field `words`). Other data about conduct is kept until
 * it expires.
 */
@Injectable()
export class ConductErasureService {
  /**
   * Deletes the words that the user wrote in decided appeals, and in decided reports of cases without an open appeal.
   * Words under a legal hold are kept.
   * @returns the number of deleted texts.
   */
  async dropWords(userId: number, manager: EntityManager): Promise<number> {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE event_private p SET data = p.data - 'words'
       FROM (
         SELECT 'conduct-' || user_id AS stream_id, event_id FROM reports
         WHERE reporter_id = $1 AND decided_at IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM appeals WHERE appeals.case_id = reports.case_id AND appeals.decided_at IS NULL)
           AND NOT EXISTS (SELECT 1 FROM standings WHERE standings.user_id = reports.user_id AND is_held)
         UNION ALL
         SELECT 'conduct-' || user_id, event_id FROM appeals
         WHERE appellant_id = $1 AND decided_at IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM standings WHERE standings.user_id = appeals.user_id AND is_held)
       ) AS erasable
       WHERE p.stream_id = erasable.stream_id AND p.event_id = erasable.event_id AND p.data ? 'words'`,
      [userId],
    );
    // Without its words, the row of an appeal is empty. It is deleted, because `listKept` would list it.
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
         ${IS_UNDECIDED} AS is_open,
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
       GROUP BY e.type, personal.is_own, standings.is_held, is_open
       ORDER BY personal.is_own DESC, e.type`,
      [userId],
    );
    const records = rows.map((row): KeptRecord => ({
      what: describeKind(row),
      why: findReason(row),
      until: row.until,
    }));
    // Several event types have the same description.
    const merged = new Map<string, KeptRecord>();
    for (const record of records) {
      const key = `${record.what}|${record.why}`;
      const earlier = merged.get(key);
      merged.set(key, earlier ? { ...record, until: pickLater(earlier.until, record.until) } : record);
    }
    return [...merged.values()];
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

const findReason = ({ is_held: isHeld, is_open: isOpen, until }: KeptRow): KeptRecord['why'] => {
  if (isHeld) return 'legal_hold';
  if (isOpen) return 'open_case';
  // Neither a hold nor an open case keeps the data, so an unknown expiry is due to a sanction without a known end.
  return until === null ? 'sanction' : 'appeal_window';
};

/** The later expiry; null when one of the two is not known yet. */
const pickLater = (one: Date | null, other: Date | null): Date | null => {
  if (one === null || other === null) return null;
  return one > other ? one : other;
};
