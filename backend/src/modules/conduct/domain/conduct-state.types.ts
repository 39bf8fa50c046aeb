import type { CaseKind, CaseOutcome, CaseState } from '@thaw/contract/moderation';
import type { AppealOutcome, HouseRule, NoticeKind, ReportCategory } from '@thaw/contract/safety';
import type { SanctionKind } from '../../standings/domain/standing.events';
import { createStandingState, type StandingState } from '../../standings/domain/standing.state';
import type { FindingKind, ReportContext } from './conduct.events';

export interface FiledReport {
  reportId: number;
  caseId: number;
  reporterId: number;
  /**
   * The reporter's id, or that of an account on the same device that reported in the case before. Reports of a case
   * with the same `countsAs` count as those of one reporter.
   */
  countsAs: number;
  /**
   * 0 if the report does not count towards automatic care, for example because its reporter is unreliable. Automatic
   * care flags or suspends a user whom several others report.
   */
  weight: 0 | 1;
  category: ReportCategory;
  context: ReportContext;
  filedAt: Date;
  /** Whether a moderator has decided its case. */
  isDecided: boolean;
  /** Whether the reporter's text and the evidence were erased. */
  hasExpired: boolean;
}

export interface ConductCase {
  caseId: number;
  kind: CaseKind;
  state: CaseState;
  openedAt: Date;
  /** The last automatic finding of the case, such as a stated age under 18. */
  finding: FindingKind | null;
  /** Reserves the case for one moderator. */
  claim: { moderatorId: number; until: Date } | null;
  /** Set while the case waits for a moderator other than this one, who has escalated it. */
  escalation: { moderatorId: number; at: Date } | null;
  /** The last decision, kept when the case is opened again. `moderatorId` is null for automatic decisions. */
  decision: { moderatorId: number | null; outcome: CaseOutcome; at: Date } | null;
  /** When the user's appeal last reversed a sanction or a flag. Automatic care ignores reports before that time. */
  lastReversalAt: Date | null;
}

export interface ImposedSanction {
  sanctionId: number;
  noticeId: number;
  caseId: number | null;
  kind: SanctionKind;
  rule: HouseRule;
  imposedAt: Date;
  /** Null for a sanction without an end. */
  until: Date | null;
  isAutomatic: boolean;
  /** Id of the sanction of another account with the same device or e-mail address; null for the user's own sanction. */
  inheritedFrom: number | null;
  /** Whether a second moderator has confirmed the ban. */
  isConfirmed: boolean;
  isLifted: boolean;
  /** Set when an automatic sanction leads to a flag. It does so once, if it ends before its case is decided. */
  hasLedToFlag: boolean;
}

export interface SentNotice {
  noticeId: number;
  kind: NoticeKind;
  recipientId: number;
  caseId: number | null;
  sanctionId: number | null;
  createdAt: Date;
  isAppealable: boolean;
  /** The moderator whose decision the notice states; null for an automatic decision. */
  decidedBy: number | null;
}

export interface FiledAppeal {
  appealId: number;
  noticeId: number;
  caseId: number;
  appellantId: number;
  filedAt: Date;
  outcome: AppealOutcome | null;
}

/** Everything that one user's conduct stream records. */
export interface ConductState {
  /** Version of the stream. */
  version: number;
  cases: ReadonlyMap<number, ConductCase>;
  reports: ReadonlyMap<number, FiledReport>;
  sanctions: ReadonlyMap<number, ImposedSanction>;
  notices: ReadonlyMap<number, SentNotice>;
  /** By the id of the appealed notice, since a notice can be appealed once. */
  appeals: ReadonlyMap<number, FiledAppeal>;
  /** Ids of the events that led to automatic findings, because each event may lead to only one. */
  sourceEventIds: ReadonlySet<string>;
  /** The case that led to the flag in `standing`. */
  flagCaseId: number | null;
  /** When the user was asked for their age. */
  ageQuestionTimes: readonly Date[];
  /** The case of the last age question. */
  ageCaseId: number | null;
  /** The restrictions of the user, folded by the same function as in the standings module. */
  standing: StandingState;
}

export const createConductState = (): ConductState => ({
  version: 0,
  cases: new Map(),
  reports: new Map(),
  sanctions: new Map(),
  notices: new Map(),
  appeals: new Map(),
  sourceEventIds: new Set(),
  flagCaseId: null,
  ageQuestionTimes: [],
  ageCaseId: null,
  standing: createStandingState(),
});

/** A user has at most one case that is not decided. */
export const findUndecidedCase = ({ cases }: ConductState): ConductCase | null =>
  [...cases.values()].find(({ state }) => state !== 'decided') ?? null;

export const listReportsOfCase = ({ reports }: ConductState, caseId: number): FiledReport[] =>
  [...reports.values()].filter((report) => report.caseId === caseId);

export const isInForce = ({ isLifted, until }: ImposedSanction, at: Date): boolean =>
  !isLifted && (until === null || until > at);

/** Whether the sanction is a ban that another moderator has to confirm. An inherited ban needs no confirmation. */
export const awaitsConfirmation = ({
  kind,
  isConfirmed,
  isLifted,
  inheritedFrom,
}: ImposedSanction): boolean => kind === 'banned' && !isConfirmed && !isLifted && inheritedFrom === null;

export const listSanctionsOfCase = ({ sanctions }: ConductState, caseId: number): ImposedSanction[] =>
  [...sanctions.values()].filter((sanction) => sanction.caseId === caseId);

/** Whether the case needs a moderator: for a decision, the confirmation of a ban, or the answer to an appeal. */
export const awaitsModerator = (conduct: ConductState, { caseId, state }: ConductCase): boolean => {
  const isUndecided = state !== 'decided';
  const hasUnconfirmedBan = listSanctionsOfCase(conduct, caseId).some(awaitsConfirmation);
  const hasOpenAppeal = [...conduct.appeals.values()].some(
    (appeal) => appeal.caseId === caseId && appeal.outcome === null,
  );
  return isUndecided || hasUnconfirmedBan || hasOpenAppeal;
};
