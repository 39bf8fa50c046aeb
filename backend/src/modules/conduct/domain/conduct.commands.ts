import type { CaseOutcome } from '@thaw/contract/moderation';
import type { AgeAnswer, AppealOutcome, HouseRule, ReportCategory } from '@thaw/contract/safety';
import type { FindingKind, ReportContext } from './conduct.events';

/**
 * Ids for the events that a command results in, and for the cases, reports, sanctions, appeals and notices in them.
 * Reserved before the decider runs and given out in order, so that a command that is decided again after a version
 * conflict results in events with the same ids.
 */
export interface ReservedIds {
  /** The next UUID of an event. */
  nextEventId(): string;
  /** The next number of the sequence `conduct_ids`. */
  nextNumber(): number;
}

interface Command<Type extends string> {
  type: Type;
  at: Date;
  /** The user whose conduct the stream records. */
  userId: number;
  ids: ReservedIds;
}

/** An act of a moderator. */
interface ModeratorCommand<Type extends string> extends Command<Type> {
  moderatorId: number;
}

export type FileReport = Command<'FileReport'> & {
  reporterId: number;
  category: ReportCategory;
  context: ReportContext;
  words: string | null;
  /** JSON of `evidenceSchema`. */
  evidence: string;
  /** SHA-256 of `evidence`, in hex. */
  evidenceHash: string;
  /** All accounts used on the reporter's device, with the reporter's own. */
  deviceAccountIds: readonly number[];
  /** 0 for a report that does not count towards automatic care, such as one of an inaccurate reporter. */
  weight: 0 | 1;
};

export type RaiseFinding = Command<'RaiseFinding'> & {
  finding: FindingKind;
  /** Makes the command idempotent. */
  sourceEventId: string;
  evidence: string | null;
  evidenceHash: string | null;
  /** Suspends the user under this rule until a moderator has decided; absent or null means no suspension. */
  rule?: HouseRule | null;
};

export type ClaimCase = ModeratorCommand<'ClaimCase'> & { caseId: number };
export type ReleaseCase = ModeratorCommand<'ReleaseCase'> & { caseId: number };
export type AddNote = ModeratorCommand<'AddNote'> & { caseId: number; text: string };
export type EscalateCase = ModeratorCommand<'EscalateCase'> & {
  caseId: number;
  /** Version of the stream that the moderator has seen. */
  version: number;
  reason: string;
};

/** Fields by which the decider checks whether a moderator may decide. */
interface DecisionGuards {
  /** Version of the stream that the moderator has seen. */
  version: number;
  /** Friends of the user or of a reporter. */
  excludedModeratorIds: readonly number[];
  /** No other moderator is appointed. */
  isOnlyModerator: boolean;
}

export type DecideCase = ModeratorCommand<'DecideCase'> &
  DecisionGuards & {
    caseId: number;
    outcome: CaseOutcome;
    rule: HouseRule | null;
    /** Shown to the user in the notice. */
    facts: string | null;
    /** For `suspended` only; null for every other outcome. */
    until: Date | null;
    /** For moderators only. */
    note: string | null;
  };
export type ConfirmBan = ModeratorCommand<'ConfirmBan'> &
  DecisionGuards & {
    caseId: number;
    /** Whether the ban stands. Otherwise it is lifted. */
    isConfirmed: boolean;
    facts: string | null;
  };
export type DecideAppeal = ModeratorCommand<'DecideAppeal'> &
  DecisionGuards & {
    appealId: number;
    outcome: AppealOutcome;
    /** The new end for `reduced`; null for every other outcome. */
    until: Date | null;
    answer: string;
  };
export type LiftSanction = ModeratorCommand<'LiftSanction'> & { sanctionId: number; reason: string };
/** Places or lifts a legal hold: while it lasts, no evidence and no words in the stream are erased. */
export type SetLegalHold = ModeratorCommand<'SetLegalHold'> & { isHeld: boolean; reason: string };

export type FileAppeal = Command<'FileAppeal'> & {
  appellantId: number;
  noticeId: number;
  words: string;
};
/** The answer to the age question that a notice asks. */
export type AnswerAgeQuestion = Command<'AnswerAgeQuestion'> & { noticeId: number; answer: AgeAnswer };

/** Sanctions a new account that shares a device or an e-mail address with a sanctioned user, with the same end. */
export type InheritSanction = Command<'InheritSanction'> & {
  sanctionId: number;
  kind: 'suspended' | 'banned';
  rule: HouseRule;
  /** Null for a sanction without an end. */
  until: Date | null;
};
/**
 * Shortens sanctions that were inherited from `sanctionId`, which was itself shortened or lifted.
 * `until`: the end of that sanction; null when it was lifted.
 */
export type AlignInheritedSanction = Command<'AlignInheritedSanction'> & {
  sanctionId: number;
  until: Date | null;
};
/** Ends what has run out: a ban that was not confirmed in time, an automatic suspension, or a care flag. */
export type ApplyTimeLimits = Command<'ApplyTimeLimits'>;
/** Records that the words and the evidence of reports were erased. */
export type RecordExpiry = Command<'RecordExpiry'> & { caseId: number; reportIds: readonly number[] };

export type ConductCommand =
  | FileReport
  | RaiseFinding
  | ClaimCase
  | ReleaseCase
  | AddNote
  | EscalateCase
  | DecideCase
  | ConfirmBan
  | DecideAppeal
  | LiftSanction
  | SetLegalHold
  | FileAppeal
  | AnswerAgeQuestion
  | InheritSanction
  | AlignInheritedSanction
  | ApplyTimeLimits
  | RecordExpiry;
