import type { CaseKind, CaseOutcome } from '@thaw/contract/moderation';
import type { HouseRule, ReportCategory } from '@thaw/contract/safety';
import type { ConductEventOf, StandingEvent } from '../../standings/domain/standing.events';

/** The chat that a report is about, and when it took place. */
export type ReportContext =
  { where: 'random_chat'; sessionId: string; at: string } | { where: 'private_chat'; at: string };

export type CaseOpened = ConductEventOf<'CaseOpened', { caseId: number; kind: CaseKind }>;

/**
 * `countsAs`: the lowest user id among the accounts of the reporter's device that reported into this case, so that one
 * device counts once. `weight`: 0 for reporters who are suspended or whose reports are mostly dismissed.
 * `evidenceHash`: SHA-256 of the evidence's JSON. Personal: `words`, `evidence`.
 */
export type ReportFiled = ConductEventOf<
  'ReportFiled',
  {
    reportId: number;
    caseId: number;
    reporterId: number;
    countsAs: number;
    weight: 0 | 1;
    category: ReportCategory;
    context: ReportContext;
    evidenceHash: string;
    words: string | null;
    /** JSON of `evidenceSchema`, exactly the text that was hashed. */
    evidence: string;
  }
>;

export type FindingKind = 'stated_age' | 'image_match' | 'classifier' | 'many_accounts';
/** An automatic finding; `sourceEventId` makes it idempotent. Personal: `evidence`. */
export type FindingRaised = ConductEventOf<
  'FindingRaised',
  {
    caseId: number;
    finding: FindingKind;
    sourceEventId: string;
    evidenceHash: string | null;
    evidence: string | null;
  }
>;

export type CaseClaimed = ConductEventOf<
  'CaseClaimed',
  { caseId: number; moderatorId: number; until: string }
>;
export type CaseReleased = ConductEventOf<'CaseReleased', { caseId: number; moderatorId: number }>;
/** Personal: `reason`. */
export type CaseEscalated = ConductEventOf<
  'CaseEscalated',
  { caseId: number; moderatorId: number; reason: string }
>;
/** Personal: `text`. */
export type CaseNoted = ConductEventOf<'CaseNoted', { caseId: number; moderatorId: number; text: string }>;

/** `reports`: those decided with the case, with the notice for each reporter. Personal: `facts`, `note`. */
export type CaseDecided = ConductEventOf<
  'CaseDecided',
  {
    caseId: number;
    moderatorId: number | null;
    outcome: CaseOutcome;
    rule: HouseRule | null;
    reports: readonly { reportId: number; noticeId: number; reporterId: number }[];
    facts: string | null;
    note: string | null;
  }
>;
export type UserWarned = ConductEventOf<
  'PersonWarned',
  { noticeId: number; caseId: number; rule: HouseRule }
>;

/** `appellantId`: the user of the stream, or a reporter who asks for a second look. Personal: `words`. */
export type AppealFiled = ConductEventOf<
  'AppealFiled',
  { appealId: number; noticeId: number; caseId: number; appellantId: number; words: string }
>;

/** The personal data of these reports was dropped. */
export type EvidenceExpired = ConductEventOf<
  'EvidenceExpired',
  { caseId: number; reportIds: readonly number[] }
>;

/** All events of one user's conduct, in the stream `conduct-<id>`. */
export type ConductEvent =
  | StandingEvent
  | CaseOpened
  | ReportFiled
  | FindingRaised
  | CaseClaimed
  | CaseReleased
  | CaseEscalated
  | CaseNoted
  | CaseDecided
  | UserWarned
  | AppealFiled
  | EvidenceExpired;
