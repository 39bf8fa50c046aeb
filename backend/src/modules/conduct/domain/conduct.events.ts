import type { CaseKind, CaseOutcome } from '@thaw/contract/moderation';
import type { HouseRule, ReportCategory } from '@thaw/contract/safety';
import type { ConductEventOf, StandingEvent } from '../../standings/domain/standing.events';

// A report by another user, or an automatic finding, opens a case about the user or joins the undecided case. A
// moderator decides the case. Notices inform the user and the reporters of the decision.
// "Personal" lists the fields of an event that are stored beside the event log, so that they can be erased.

/**
 * The chat that a report is about. `at`: when the random chat started, or when the newest message of the private chat
 * was sent.
 */
export type ReportContext =
  { where: 'random_chat'; sessionId: string; at: string } | { where: 'private_chat'; at: string };

export type CaseOpened = ConductEventOf<'CaseOpened', { caseId: number; kind: CaseKind }>;

/** Personal: `words`, `evidence`. */
export type ReportFiled = ConductEventOf<
  'ReportFiled',
  {
    reportId: number;
    caseId: number;
    reporterId: number;
    /**
     * The reporter's id, or that of an account on the same device that reported in the case before. Reports of a case
     * with the same `countsAs` count as those of one reporter.
     */
    countsAs: number;
    /** 0 for reporters who are suspended or whose reports are mostly dismissed. */
    weight: 0 | 1;
    category: ReportCategory;
    context: ReportContext;
    /** SHA-256 of the text `evidence`. */
    evidenceHash: string;
    /** What the reporter wrote. */
    words: string | null;
    /** JSON of `evidenceSchema`. */
    evidence: string;
  }
>;

/**
 * `stated_age`: the user wrote that they are under 18. `image_match`: they sent an image on the block-list.
 * `classifier`: a classifier objected to content; no code raises this at present. `many_accounts`: the user's device
 * has many new accounts.
 */
export type FindingKind = 'stated_age' | 'image_match' | 'classifier' | 'many_accounts';

/** An automatic finding. Personal: `evidence`. */
export type FindingRaised = ConductEventOf<
  'FindingRaised',
  {
    caseId: number;
    finding: FindingKind;
    /** The event that led to the finding. A second finding from the same event is not recorded. */
    sourceEventId: string;
    evidenceHash: string | null;
    evidence: string | null;
  }
>;

/** The case is reserved for the moderator until the time `until`. */
export type CaseClaimed = ConductEventOf<
  'CaseClaimed',
  { caseId: number; moderatorId: number; until: string }
>;
export type CaseReleased = ConductEventOf<'CaseReleased', { caseId: number; moderatorId: number }>;
/** The moderator leaves the decision to another moderator. Personal: `reason`. */
export type CaseEscalated = ConductEventOf<
  'CaseEscalated',
  { caseId: number; moderatorId: number; reason: string }
>;
/** Personal: `text`. */
export type CaseNoted = ConductEventOf<'CaseNoted', { caseId: number; moderatorId: number; text: string }>;

/** Personal: `facts`, `note`. */
export type CaseDecided = ConductEventOf<
  'CaseDecided',
  {
    caseId: number;
    /** Null for an automatic decision. */
    moderatorId: number | null;
    outcome: CaseOutcome;
    rule: HouseRule | null;
    /** All reports of the case, with the notice to each reporter. */
    reports: readonly { reportId: number; noticeId: number; reporterId: number }[];
    /** The reason that the notice states to the user. */
    facts: string | null;
    /** For moderators only. */
    note: string | null;
  }
>;

/** `PersonWarned` is the original name, which stays because stored events have it. */
export type UserWarned = ConductEventOf<
  'PersonWarned',
  { noticeId: number; caseId: number; rule: HouseRule }
>;

/**
 * `noticeId`: the notice that is appealed. `appellantId`: its recipient, who is the user of the stream or a reporter
 * whose report was dismissed. Personal: `words`.
 */
export type AppealFiled = ConductEventOf<
  'AppealFiled',
  { appealId: number; noticeId: number; caseId: number; appellantId: number; words: string }
>;

/** The words and the evidence of these reports were erased, or, if the list is empty, the evidence of findings. */
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
