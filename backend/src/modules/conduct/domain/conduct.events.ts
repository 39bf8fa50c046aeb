import type { CaseKind, CaseOutcome } from '@thaw/contract/moderation';
import type { HouseRule, ReportCategory } from '@thaw/contract/safety';
import type { ConductEventOf, StandingEvent } from '../../standings/domain/standing.events';

// The type `PersonWarned` keeps its original name, because stored events have it.
// "Personal" lists the fields of an event that are stored beside the log, where they can be erased.

/**
 * The chat that a report is about. `at`: when the random chat started, or when the newest message of the private chat
 * was sent.
 */
export type ReportContext =
  { where: 'random_chat'; sessionId: string; at: string } | { where: 'private_chat'; at: string };

export type CaseOpened = ConductEventOf<'CaseOpened', { caseId: number; kind: CaseKind }>;

/**
 * `countsAs`: the id under which the report is counted. Within a case, the accounts of one device share the user id of
 * one of them, so that they count as one reporter. `weight`: 0 for reporters who are suspended or whose reports are
 * mostly dismissed. `evidenceHash`: SHA-256 of the evidence's JSON. Personal: `words`, `evidence`.
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

/**
 * `stated_age`: the user wrote that they are under 18. `image_match`: they sent an image on the block-list.
 * `classifier`: a classifier objected to content; no code raises this at present. `many_accounts`: the user's device
 * has many new accounts.
 */
export type FindingKind = 'stated_age' | 'image_match' | 'classifier' | 'many_accounts';
/**
 * An automatic finding. `sourceEventId`: the event from which it was made; a second finding with the same id is not
 * recorded. Personal: `evidence`.
 */
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

/**
 * `moderatorId`: null for an automatic decision. `reports`: all reports of the case, with the notice for each reporter.
 * `facts`: the reason that the notice states to the user. `note`: for moderators only. Personal: `facts`, `note`.
 */
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

/** `appellantId`: the user of the stream, or a reporter whose report was dismissed. Personal: `words`. */
export type AppealFiled = ConductEventOf<
  'AppealFiled',
  { appealId: number; noticeId: number; caseId: number; appellantId: number; words: string }
>;

/** The words and the evidence of these reports were erased. The list is empty if only findings had evidence. */
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
