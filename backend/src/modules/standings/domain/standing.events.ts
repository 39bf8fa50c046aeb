import type { AgeAnswer, AppealOutcome, HouseRule } from '@thaw/contract/safety';

/** An event in the stream `conduct-<userId>`. `userId` is the user whose conduct the stream records. */
export interface ConductEventOf<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: { userId: number } & Data;
}

export type SanctionKind = 'suspended' | 'banned';

/** Why a user meets only users in the same situation: three reporters in a day, or many new accounts of a device. */
export type FlagCause = 'reports' | 'many_accounts' | 'sanction_lapsed';

/**
 * Why a sanction ended before its time. `replaced`: a later decision on the same case took its place. `source_ended`:
 * it was inherited from a sanction that has ended, or ends earlier.
 */
export type LiftCause = 'dismissed' | 'replaced' | 'appeal' | 'moderator' | 'not_confirmed' | 'source_ended';

/** Times inside `data` are ISO 8601 in UTC, as everywhere in the log. */
export type UserFlagged = ConductEventOf<
  'PersonFlagged',
  { caseId: number | null; until: string; cause: FlagCause; noticeId: number }
>;
export type FlagLifted = ConductEventOf<'FlagLifted', { noticeId: number | null }>;

/** `inheritedFrom`: the sanction of an earlier account on the same device. `until`: null without an end. */
export type SanctionImposed = ConductEventOf<
  'SanctionImposed',
  {
    sanctionId: number;
    noticeId: number;
    kind: SanctionKind;
    rule: HouseRule;
    until: string | null;
    caseId: number | null;
    isAutomatic: boolean;
    inheritedFrom: number | null;
  }
>;
/** The second look at a ban. `isSolo`: by the moderator who had decided, since there is only one. */
export type SanctionConfirmed = ConductEventOf<
  'SanctionConfirmed',
  { sanctionId: number; caseId: number | null; moderatorId: number; isSolo: boolean }
>;
/**
 * `noticeId` is null when another notice explains the end: that of the decision that replaced it, or the answer to the
 * appeal. Personal: `reason`.
 */
export type SanctionLifted = ConductEventOf<
  'SanctionLifted',
  {
    sanctionId: number;
    noticeId: number | null;
    cause: LiftCause;
    moderatorId: number | null;
    /** The moderator's reason, for the case's history. */
    reason: string | null;
  }
>;

export type AgeAsked = ConductEventOf<'AgeAsked', { noticeId: number; caseId: number | null }>;
export type AgeAnswered = ConductEventOf<'AgeAnswered', { noticeId: number; answer: AgeAnswer }>;

/**
 * `noticeId`: the notice that was appealed. `answerNoticeId`: the notice to the appellant. `until`: the new end
 * of the sanction, when it was reduced. `isSolo`: by the moderator who had decided, since there is only one. Personal:
 * `answer`.
 */
export type AppealDecided = ConductEventOf<
  'AppealDecided',
  {
    appealId: number;
    noticeId: number;
    answerNoticeId: number;
    caseId: number;
    moderatorId: number;
    outcome: AppealOutcome;
    sanctionId: number | null;
    until: string | null;
    isSolo: boolean;
    answer: string;
  }
>;

export type HoldPlaced = ConductEventOf<'HoldPlaced', { moderatorId: number | null; reason: string }>;
export type HoldLifted = ConductEventOf<'HoldLifted', { moderatorId: number; reason: string }>;

/** Those events of a user's conduct from which their standing is folded. */
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

export const buildConductStreamId = (userId: number): string => `conduct-${userId}`;
