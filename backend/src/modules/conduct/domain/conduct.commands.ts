import type { CaseOutcome } from '@thaw/contract/moderation';
import type { AgeAnswer, AppealOutcome, HouseRule, ReportCategory } from '@thaw/contract/safety';
import type { FindingKind, ReportContext } from './conduct.events';

/** Ids for the results of a command. They are reserved before the decider runs, so that it needs no database. */
export interface ReservedIds {
  /** The next UUID of an event. */
  nextEventId(): string;
  /** The next number of the sequence `conduct_ids`: the id of a case, report, sanction, appeal or notice. */
  nextNumber(): number;
}

interface Command<Type extends string> {
  type: Type;
  /** The time at which the command is decided. */
  at: Date;
  /** The user whose conduct the stream records. */
  userId: number;
  ids: ReservedIds;
}

/** A command that a moderator gives. */
interface ModeratorCommand<Type extends string> extends Command<Type> {
  moderatorId: number;
}

export type FileReport = Command<'FileReport'> & {
  reporterId: number;
  category: ReportCategory;
  context: ReportContext;
  /** The text that the reporter wrote. */
  words: string | null;
  /** JSON of `evidenceSchema`. */
  evidence: string;
  /** SHA-256 of `evidence`, in hex. */
  evidenceHash: string;
  /** Ids of all accounts used on the reporter's devices, including the reporter's own. They count as one reporter. */
  deviceAccountIds: readonly number[];
  /**
   * 1 if the report counts when users are flagged or suspended automatically because several others have reported them;
   * 0 if it does not, for example because the reporter is unreliable.
   */
  weight: 0 | 1;
};

/** Records an automatic finding about the user, which opens a case or joins the undecided one. */
export type RaiseFinding = Command<'RaiseFinding'> & {
  finding: FindingKind;
  /** Id of what led to the finding. A second command with the same id changes nothing. */
  sourceEventId: string;
  evidence: string | null;
  evidenceHash: string | null;
  /** Suspends the user under this rule until a moderator has decided; without a rule, there is no suspension. */
  rule?: HouseRule;
};

/** Makes the moderator the only one who may decide the case, until the claim expires or is released. */
export type ClaimCase = ModeratorCommand<'ClaimCase'> & { caseId: number };
/** Ends the moderator's claim. */
export type ReleaseCase = ModeratorCommand<'ReleaseCase'> & { caseId: number };
export type AddNote = ModeratorCommand<'AddNote'> & { caseId: number; text: string };

/** A command that is refused if the stream has changed since the moderator read it. */
interface VersionGuard {
  /** Version of the stream that the moderator has seen. */
  version: number;
}

/** Leaves the decision of a case to another moderator. */
export type EscalateCase = ModeratorCommand<'EscalateCase'> &
  VersionGuard & {
    caseId: number;
    reason: string;
  };

/** Fields by which the decider checks whether a moderator may decide. */
interface DecisionGuards extends VersionGuard {
  /** Moderators who may not decide, because they are friends of the user or of a reporter. */
  excludedModeratorIds: readonly number[];
  /** Whether there is no other moderator. If so, the moderator may review their own decisions after a waiting time. */
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
/** The review of a ban by a second moderator. */
export type ConfirmBan = ModeratorCommand<'ConfirmBan'> &
  DecisionGuards & {
    caseId: number;
    /** Whether the ban stands. Otherwise it is lifted. */
    isConfirmed: boolean;
    /** Shown to the user in the notice that the ban was lifted. */
    facts: string | null;
  };
export type DecideAppeal = ModeratorCommand<'DecideAppeal'> &
  DecisionGuards & {
    appealId: number;
    outcome: AppealOutcome;
    /** The new end for `reduced`; null for every other outcome. */
    until: Date | null;
    /** Sent to the appellant. */
    answer: string;
  };
/** Ends a sanction early. `reason`: for moderators only. */
export type LiftSanction = ModeratorCommand<'LiftSanction'> & { sanctionId: number; reason: string };
/** Places or lifts a legal hold: while it lasts, no evidence and no words in the stream are erased. */
export type SetLegalHold = ModeratorCommand<'SetLegalHold'> & { isHeld: boolean; reason: string };

export type FileAppeal = Command<'FileAppeal'> & {
  /** The user, or a reporter whose report was dismissed. */
  appellantId: number;
  /** The appealed notice. */
  noticeId: number;
  /** The text that the appellant wrote. */
  words: string;
};
/** Answers the age question that a notice asks a user who seems to have stated an age under 18. */
export type AnswerAgeQuestion = Command<'AnswerAgeQuestion'> & { noticeId: number; answer: AgeAnswer };

/** Sanctions a new account that shares a device or an e-mail address with a sanctioned user, with the same end. */
export type InheritSanction = Command<'InheritSanction'> & {
  /** Id of the source: the other user's sanction. */
  sanctionId: number;
  kind: 'suspended' | 'banned';
  rule: HouseRule;
  /** Null for a sanction without an end. */
  until: Date | null;
};
/** Lifts or shortens the sanction that the user inherited, because its source was lifted or shortened. */
export type AlignInheritedSanction = Command<'AlignInheritedSanction'> & {
  /** Id of the source, which is the `sanctionId` of `InheritSanction`. */
  sourceId: number;
  /** The new end of the source. */
  sourceEnd: Date | 'lifted';
};
/** Applies the time limits that have passed: of a ban that was not confirmed, an automatic suspension, or a flag. */
export type ApplyTimeLimits = Command<'ApplyTimeLimits'>;

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
  | ApplyTimeLimits;
