import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import type { CaseFilter, CaseItem, CasePage, ModerationCase } from '@thaw/contract/moderation';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import {
  CaseRepository,
  type CaseRow,
  type ConductEventRow,
  type PagePosition,
  type ReportRow,
} from '../infrastructure/case.repository';
import { AuditService } from './audit.service';
import { decodeCursor, encodeCursor } from './case-cursor.codec';
import { toCaseHistory } from './case-history.mapper';
import { EligibleModeratorsService } from './eligible-moderators.service';
import { toShownEvidence } from './stored-evidence.mapper';

/** A response contains at most this many pieces of evidence of a case: the newest. */
const MAX_EVIDENCE_PER_CASE = 100;

/**
 * Reads the queue and the cases for moderators. A case is about one user and collects the reports and automatic
 * findings about them. A moderator claims a case, which reserves it for a short time.
 */
@Injectable()
export class CasesService {
  constructor(
    private readonly cases: CaseRepository,
    private readonly audit: AuditService,
    private readonly eligibleModerators: EligibleModeratorsService,
    private readonly limiter: RateLimiterService,
  ) {}

  /**
   * Reads a page of the queue, of the decided cases, or of the cases of users under a legal hold (`held`), after
   * recording the read in the audit log.
   * @param cursor `nextCursor` of the previous page; undefined for the first page
   * @throws DomainError validation_failed for a malformed cursor
   */
  async list(
    moderatorId: number,
    filter: CaseFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<CasePage> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    await this.audit.recordOncePerHour({ moderatorId, action: 'queue_read' });
    // The urgency grows with time, so all pages of a list are computed as of the time of the first page.
    const asOf = after?.asOf ?? (await this.cases.readDatabaseTime());
    const pageSize = Math.min(limit, limits.casesPerPage);
    // The extra row shows whether there is another page.
    const rows = await this.cases.findPage(filter, asOf, pageSize + 1, after);
    const hasNextPage = rows.length > pageSize;
    const shown = rows.slice(0, pageSize);
    const last = shown.at(-1);
    return {
      cases: shown.map(toItem),
      nextCursor: hasNextPage && last ? encodeCursor({ asOf, ...toPosition(last, filter) }) : null,
    };
  }

  /**
   * Reads a case for a moderator, after recording the read in the audit log.
   * @throws DomainError not_found; rate_limited after too many reads in an hour
   */
  async read(moderatorId: number, caseId: number): Promise<ModerationCase> {
    const userId = await this.requireUserId(caseId);
    await this.limiter.require('evidence_reads', moderatorId);
    await this.audit.record({ moderatorId, action: 'case_read', caseId, userId });
    return this.load(caseId);
  }

  /**
   * Loads a case without recording the read; the caller has to record the act whose response contains the case.
   * @throws DomainError not_found
   */
  async load(caseId: number): Promise<ModerationCase> {
    const row = await this.cases.find(caseId);
    if (!row) throw new DomainError('not_found');
    const [reports, events] = await Promise.all([
      this.cases.findReports(caseId),
      this.cases.readConduct(Number(row.user_id), caseId),
    ]);
    const reporterIds = [...new Set(reports.map(({ reporter_id: id }) => Number(id)))];
    const ineligibleModeratorIds = await this.eligibleModerators.findIneligible(row, reporterIds, events);
    return {
      ...toItem(row),
      urgencyParts: {
        base: row.base,
        reporters: row.reporters_part,
        priors: row.priors_part,
        automatic: row.automatic_part,
        waiting: row.waiting_part,
        isHalved: row.is_halved,
      },
      reports: toReports(reports, events),
      evidence: toEvidence(caseId, events),
      history: toCaseHistory(caseId, events),
      excludes: ineligibleModeratorIds,
    };
  }

  /**
   * @returns the id of the user whom the case is about
   * @throws DomainError not_found when there is no such case
   */
  async requireUserId(caseId: number): Promise<number> {
    const userId = await this.cases.findUserIdOfCase(caseId);
    if (userId === null) throw new DomainError('not_found');
    return userId;
  }
}

/** Decided cases are sorted by the time of the decision, all others by urgency and waiting time. */
const toPosition = (row: CaseRow, filter: CaseFilter): PagePosition => ({
  urgency: row.urgency,
  sortTime: filter === 'decided' && row.decided_at ? row.decided_at : row.waiting_since,
  id: Number(row.id),
});

const toItem = (row: CaseRow): CaseItem => ({
  id: Number(row.id),
  state: row.state,
  version: row.version,
  urgency: row.urgency,
  userId: Number(row.user_id),
  username: row.username,
  isAnonymous: row.is_anonymous,
  categories: row.categories ?? {},
  reporters: row.reporters,
  priors: row.priors,
  isAutomatic: row.is_automatic,
  kind: row.kind,
  // A decided case waits again from its appeal, or from the ban that another moderator has to confirm.
  openedAt: row.waiting_since.toISOString(),
  standing: row.standing,
  claimedBy: row.is_claimed && row.claimed_by !== null ? Number(row.claimed_by) : null,
  claimedUntil: row.is_claimed ? (row.claimed_until?.toISOString() ?? null) : null,
});

const toReports = (
  reports: readonly ReportRow[],
  events: readonly ConductEventRow[],
): ModerationCase['reports'] => {
  const eventsById = new Map(events.map((event) => [event.eventId, event]));
  return reports.map((report) => {
    const words = eventsById.get(report.event_id)?.data.words;
    return {
      id: Number(report.id),
      reporterId: Number(report.reporter_id),
      category: report.category,
      words: typeof words === 'string' ? words : null, // erased words are absent
      createdAt: report.created_at.toISOString(),
      weight: report.weight,
      accuracy: { decided: report.decided_count, upheld: report.upheld_count },
    };
  });
};

const toEvidence = (caseId: number, events: readonly ConductEventRow[]): ModerationCase['evidence'] => {
  const newestWithEvidence = events
    .filter(({ data }) => data.caseId === caseId && data.evidence !== undefined)
    .slice(-MAX_EVIDENCE_PER_CASE);
  const shown: ModerationCase['evidence'] = [];
  for (const { data } of newestWithEvidence) {
    const evidence = toShownEvidence(data.evidence);
    if (!evidence) continue; // not valid
    // The evidence of an automatic finding belongs to no report.
    const reportId = typeof data.reportId === 'number' ? data.reportId : null;
    shown.push({ ...evidence, reportId });
  }
  return shown;
};
