import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What is kept of a user who was erased, and why; `until`: null while that is not known. */
export interface KeptRecord {
  what: string;
  why: 'open_case' | 'appeal_window' | 'legal_hold' | 'sanction';
  until: Date | null;
}

interface KeptRow {
  type: string;
  is_own: boolean;
  is_held: boolean;
  is_open: boolean;
  until: Date | null;
}

/** Erases a user's words in closed cases. The rest of their conduct is kept until it expires. */
@Injectable()
export class ConductErasureService {
  /**
   * Deletes the words that the user wrote, in reports and appeals whose case is closed. What is held stays.
   * @returns the number of texts.
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
       ) AS closed
       WHERE p.stream_id = closed.stream_id AND p.event_id = closed.event_id AND p.data ? 'words'`,
      [userId],
    );
    await manager.query(
      `DELETE FROM event_private WHERE stream_id = 'conduct-' || $1::bigint AND data = '{}'`,
      [userId],
    );
    return count;
  }

  /** What is kept of the user's conduct and of their reports, one entry for each kind and reason. */
  async listKept(userId: number, manager: EntityManager): Promise<KeptRecord[]> {
    const rows = await manager.query<KeptRow[]>(
      `SELECT e.type, given.is_own, COALESCE(standings.is_held, false) AS is_held,
         bool_or(cases.state IS DISTINCT FROM 'decided') AS is_open,
         CASE WHEN bool_or(p.expires_at IS NULL) THEN NULL ELSE max(p.expires_at) END AS until
       FROM (
         SELECT stream_id, event_id, true AS is_own, $1::bigint AS user_id
         FROM event_private WHERE stream_id = 'conduct-' || $1::bigint
         UNION ALL
         SELECT 'conduct-' || user_id, event_id, false, user_id FROM reports WHERE reporter_id = $1
       ) AS given
       JOIN event_private p ON p.stream_id = given.stream_id AND p.event_id = given.event_id
       JOIN events e ON e.stream_id = p.stream_id AND e.event_id = p.event_id
       LEFT JOIN conduct_cases cases ON cases.id = (e.data->>'caseId')::bigint
       LEFT JOIN standings ON standings.user_id = given.user_id
       GROUP BY e.type, given.is_own, standings.is_held, cases.state IS DISTINCT FROM 'decided'
       ORDER BY given.is_own DESC, e.type`,
      [userId],
    );
    const kept = rows.map((row): KeptRecord => ({
      what: describeKind(row),
      why: findReason(row),
      until: row.until,
    }));
    const known = new Map<string, KeptRecord>();
    for (const record of kept) {
      const key = `${record.what}|${record.why}`;
      const other = known.get(key);
      known.set(key, other ? { ...record, until: pickLater(other.until, record.until) } : record);
    }
    return [...known.values()];
  }
}

/** Events that contain evidence, as opposed to statements about it. */
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
  return until === null ? 'sanction' : 'appeal_window';
};

/** Null when one of the two is not known. */
const pickLater = (one: Date | null, other: Date | null): Date | null =>
  one === null || other === null ? null : one > other ? one : other;
