import type { AgeAnswer, AppealOutcome, HouseRule } from '@thaw/contract/safety';

/**
 * An event in the stream `conduct-<userId>`, which records the conduct of one user. In the comments below, "Personal"
 * lists the fields of an event that can be erased.
 */
export interface ConductEventOf<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  /** Times in it are ISO 8601 in UTC, as everywhere in the event log. */
  data: { userId: number } & Data;
}

export type SanctionKind = 'suspended' | 'banned';

/**
 * Why a user is flagged. `reports`: several reporters within a day. `many_accounts`: many new accounts on a device.
 * `sanction_lapsed`: an automatic sanction ended before a moderator had decided the case.
 */
export type FlagCause = 'reports' | 'many_accounts' | 'sanction_lapsed';

/**
 * Why a sanction ended early. `replaced`: by a later decision on the same case. `source_ended`: the sanction that it
 * was inherited from has ended, or now ends earlier. If it is still in force, a suspension until the new end of that
 * sanction follows.
 */
export type LiftCause = 'dismissed' | 'replaced' | 'appeal' | 'moderator' | 'not_confirmed' | 'source_ended';

/**
 * The user is flagged: they are matched only with other flagged users, until the time `until`. `PersonFlagged` is the
 * original name, which stays because stored events have it.
 */
export type UserFlagged = ConductEventOf<
  'PersonFlagged',
  { caseId: number | null; until: string; cause: FlagCause; noticeId: number }
>;
export type FlagLifted = ConductEventOf<
  'FlagLifted',
  {
    /** Null when the flag expires, or when the notice of a decision or of an answer to an appeal explains its end. */
    noticeId: number | null;
  }
>;

export type SanctionImposed = ConductEventOf<
  'SanctionImposed',
  {
    sanctionId: number;
    noticeId: number;
    kind: SanctionKind;
    rule: HouseRule;
    /** Null for a sanction without an end. */
    until: string | null;
    caseId: number | null;
    isAutomatic: boolean;
    /** The sanction of an earlier account on the same device or with the same e-mail address. */
    inheritedFrom: number | null;
  }
>;
/** A ban was confirmed in a second review. */
export type SanctionConfirmed = ConductEventOf<
  'SanctionConfirmed',
  {
    sanctionId: number;
    caseId: number | null;
    moderatorId: number;
    /** Whether the reviewer is the moderator who imposed the ban, because there is no other moderator. */
    isSolo: boolean;
  }
>;
/** Personal: `reason`. */
export type SanctionLifted = ConductEventOf<
  'SanctionLifted',
  {
    sanctionId: number;
    /** Null when the notice of the replacing decision or of the answer to the appeal explains the end. */
    noticeId: number | null;
    cause: LiftCause;
    moderatorId: number | null;
    /** The moderator's reason. The user reads it only if the ban was not confirmed. */
    reason: string | null;
  }
>;

/** A notice asks the user for their age, because they seem to have stated an age under 18. */
export type AgeAsked = ConductEventOf<'AgeAsked', { noticeId: number; caseId: number | null }>;
export type AgeAnswered = ConductEventOf<'AgeAnswered', { noticeId: number; answer: AgeAnswer }>;

/** Personal: `answer`. */
export type AppealDecided = ConductEventOf<
  'AppealDecided',
  {
    appealId: number;
    /** The notice that was appealed. */
    noticeId: number;
    /** The notice with the answer to the appellant. */
    answerNoticeId: number;
    caseId: number;
    moderatorId: number;
    outcome: AppealOutcome;
    /** The appealed sanction; null if none is in force. */
    sanctionId: number | null;
    /** The new end of a reduced sanction, otherwise null. */
    until: string | null;
    /** Whether the moderator is the one who decided the case, because there is no other moderator. */
    isSolo: boolean;
    answer: string;
  }
>;

/** A legal hold: the user's data must not be erased. Personal: `reason`. */
export type HoldPlaced = ConductEventOf<
  'HoldPlaced',
  {
    /** Null for a hold that was placed automatically. */
    moderatorId: number | null;
    reason: string;
  }
>;
/** Personal: `reason`. */
export type HoldLifted = ConductEventOf<'HoldLifted', { moderatorId: number; reason: string }>;

/** The events of a conduct stream from which the user's standing (the restrictions in force) is folded. */
export type StandingEvent =
  | UserFlagged
  | FlagLifted
  | SanctionImposed
  | SanctionLifted
  | SanctionConfirmed
  | AppealDecided
  | AgeAsked
  | AgeAnswered
  | HoldPlaced
  | HoldLifted;

export const CONDUCT_STREAM_PREFIX = 'conduct-';
export const buildConductStreamId = (userId: number): string => `${CONDUCT_STREAM_PREFIX}${userId}`;
/** Returns the id of the user whose conduct stream it is. */
export const parseConductStreamId = (streamId: string): number =>
  Number(streamId.slice(CONDUCT_STREAM_PREFIX.length));
