import type { CaseOutcome } from '@thaw/contract/moderation';
import type { AgeAnswer, AppealOutcome, HouseRule, ReportCategory } from '@thaw/contract/safety';
import type { FindingKind, ReportContext } from './conduct.events';

/**
 * Ids for the events that a command results in, and for the cases, reports, sanctions, appeals and notices in them.
 * Reserved before the decision and given out in order, so that the same ids lead to the same events.
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

/** What a moderator did. `version`: of the stream, as the moderator saw it. */
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
  weight: 0 | 1;
};

export type RaiseFinding = Command<'RaiseFinding'> & {
  finding: FindingKind;
  /** Makes the command idempotent. */
  sourceEventId: string;
  evidence: string | null;
  evidenceHash: string | null;
  /** Suspends the user under this rule until a moderator has decided. */
  rule?: HouseRule | null;
};

export type ClaimCase = ModeratorCommand<'ClaimCase'> & { caseId: number };
export type ReleaseCase = ModeratorCommand<'ReleaseCase'> & { caseId: number };
export type AddNote = ModeratorCommand<'AddNote'> & { caseId: number; text: string };
export type EscalateCase = ModeratorCommand<'EscalateCase'> & {
  caseId: number;
  version: number;
  reason: string;
};

/**
 * `excludedModeratorIds`: friends of the user or of a reporter. `isOnlyModerator`: no other moderator is appointed.
 */
interface Judgement {
  version: number;
  excludedModeratorIds: readonly number[];
  isOnlyModerator: boolean;
}

export type DecideCase = ModeratorCommand<'DecideCase'> &
  Judgement & {
    caseId: number;
    outcome: CaseOutcome;
    rule: HouseRule | null;
    facts: string | null;
    /** For `suspended` only; null for every other outcome. */
    until: Date | null;
    note: string | null;
  };
export type ConfirmBan = ModeratorCommand<'ConfirmBan'> &
  Judgement & {
    caseId: number;
    /** Whether the ban stands. Otherwise it is lifted. */
    isConfirmed: boolean;
    facts: string | null;
  };
export type DecideAppeal = ModeratorCommand<'DecideAppeal'> &
  Judgement & {
    appealId: number;
    outcome: AppealOutcome;
    until: Date | null;
    answer: string;
  };
export type LiftSanction = ModeratorCommand<'LiftSanction'> & { sanctionId: number; reason: string };
export type SetHold = ModeratorCommand<'SetHold'> & { isHeld: boolean; reason: string };

export type FileAppeal = Command<'FileAppeal'> & {
  appellantId: number;
  noticeId: number;
  words: string;
};
export type AnswerAge = Command<'AnswerAge'> & { noticeId: number; answer: AgeAnswer };

/** A new account on a device, or with an address, of a sanctioned user gets the same end. */
export type InheritSanction = Command<'InheritSanction'> & {
  sanctionId: number;
  kind: 'suspended' | 'banned';
  rule: HouseRule;
  until: Date | null;
};
/** The sanction `sanctionId`, from which the user has inherited one, ends at `until`; null when it was lifted. */
export type FollowSource = Command<'FollowSource'> & { sanctionId: number; until: Date | null };
/** Runs when a time limit has passed: an unconfirmed ban, an automatic suspension, a flag. */
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
  | SetHold
  | FileAppeal
  | AnswerAge
  | InheritSanction
  | FollowSource
  | ApplyTimeLimits
  | RecordExpiry;
