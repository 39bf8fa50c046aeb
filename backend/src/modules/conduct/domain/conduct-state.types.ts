import type { CaseKind, CaseOutcome, CaseState } from '@thaw/contract/moderation';
import type { AppealOutcome, HouseRule, NoticeKind, ReportCategory } from '@thaw/contract/safety';
import type { SanctionKind } from '../../standings/domain/standing.events';
import { createStandingState, type StandingState } from '../../standings/domain/standing.state';
import type { FindingKind, ReportContext } from './conduct.events';

export interface FiledReport {
  reportId: number;
  caseId: number;
  reporterId: number;
  countsAs: number;
  weight: 0 | 1;
  category: ReportCategory;
  context: ReportContext;
  filedAt: Date;
  isDecided: boolean;
  hasExpired: boolean;
}

export interface ConductCase {
  caseId: number;
  kind: CaseKind;
  state: CaseState;
  openedAt: Date;
  finding: FindingKind | null;
  /** The moderator who works on the case until `until`. */
  claim: { moderatorId: number; until: Date } | null;
  escalation: { moderatorId: number; at: Date } | null;
  /** The last decision; kept while the case is open again. `moderatorId` is null for automatic decisions. */
  decision: { moderatorId: number | null; outcome: CaseOutcome; at: Date } | null;
  /** Reports before this time no longer count towards automatic care, since a moderator has reversed it. */
  careCountsFrom: Date | null;
}

export interface ImposedSanction {
  sanctionId: number;
  noticeId: number;
  caseId: number | null;
  kind: SanctionKind;
  rule: HouseRule;
  imposedAt: Date;
  until: Date | null;
  isAutomatic: boolean;
  inheritedFrom: number | null;
  isConfirmed: boolean;
  isLifted: boolean;
  /** Whether its end has led to a flag. */
  hasLapsed: boolean;
}

export interface SentNotice {
  noticeId: number;
  kind: NoticeKind;
  recipientId: number;
  caseId: number | null;
  sanctionId: number | null;
  createdAt: Date;
  isAppealable: boolean;
  /** The moderator whose decision it states; null for what a rule decided. */
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
  /** By the notice that is appealed: each can be appealed once. */
  appeals: ReadonlyMap<number, FiledAppeal>;
  /** Automatic findings, by the event that each was found in. */
  sourceEventIds: ReadonlySet<string>;
  /** The case of the flag in `standing`. */
  flagCaseId: number | null;
  ageAskedAt: readonly Date[];
  ageCaseId: number | null;
  /** The same fold that module standings uses. */
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
  ageAskedAt: [],
  ageCaseId: null,
  standing: createStandingState(),
});

/** The case that no moderator has decided; there is at most one. */
export const findUndecidedCase = ({ cases }: ConductState): ConductCase | null =>
  [...cases.values()].find(({ state }) => state !== 'decided') ?? null;

export const listReportsOfCase = ({ reports }: ConductState, caseId: number): FiledReport[] =>
  [...reports.values()].filter((report) => report.caseId === caseId);

export const isInForce = ({ isLifted, until }: ImposedSanction, at: Date): boolean =>
  !isLifted && (until === null || until > at);

/** A ban that another moderator has to confirm. */
export const awaitsConfirmation = ({
  kind,
  isConfirmed,
  isLifted,
  inheritedFrom,
}: ImposedSanction): boolean => kind === 'banned' && !isConfirmed && !isLifted && inheritedFrom === null;

export const listSanctionsOfCase = ({ sanctions }: ConductState, caseId: number): ImposedSanction[] =>
  [...sanctions.values()].filter((sanction) => sanction.caseId === caseId);

/** Whether a moderator has something to do in the case: a decision, a confirmation, or an appeal. */
export const isWaiting = (state: ConductState, { caseId, state: caseState }: ConductCase): boolean =>
  caseState !== 'decided' ||
  listSanctionsOfCase(state, caseId).some(awaitsConfirmation) ||
  [...state.appeals.values()].some((appeal) => appeal.caseId === caseId && appeal.outcome === null);
