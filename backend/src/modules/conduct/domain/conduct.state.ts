import type { CaseKind, CaseOutcome, CaseState } from '@thaw/contract/moderation';
import type { AppealOutcome, HouseRule, NoticeKind, ReportCategory } from '@thaw/contract/safety';
import { limits } from '@thaw/contract/limits';
import type { SanctionKind, StandingEvent } from '../../standings/domain/standing.events';
import {
  evolveStanding,
  initialStandingState,
  type StandingState,
} from '../../standings/domain/standing.state';
import type { ConductEvent, FindingKind, ReportContext } from './conduct.events';

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

export const initialConduct = (): ConductState => ({
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
  standing: initialStandingState(),
});

const updated = <Value extends object>(
  entries: ReadonlyMap<number, Value>,
  id: number | null,
  change: Partial<Value>,
): ReadonlyMap<number, Value> => {
  const entry = id === null ? undefined : entries.get(id);
  return id !== null && entry ? new Map(entries).set(id, { ...entry, ...change }) : entries;
};

const withCase = (
  state: ConductState,
  caseId: number | null,
  change: Partial<ConductCase>,
): ConductState => ({
  ...state,
  cases: updated(state.cases, caseId, change),
});

const withNotice = (
  state: ConductState,
  { occurredAt, data }: ConductEvent,
  kind: NoticeKind,
  notice: { noticeId: number | null; caseId: number | null } & Partial<Omit<SentNotice, 'noticeId'>>,
): ConductState => {
  const { noticeId } = notice;
  if (noticeId === null) return state;
  const sent: SentNotice = {
    kind,
    recipientId: data.userId,
    sanctionId: null,
    createdAt: occurredAt,
    isAppealable: kind === 'warning' || kind === 'care' || kind === 'suspension' || kind === 'ban',
    ...notice,
    noticeId,
  };
  return { ...state, notices: new Map(state.notices).set(noticeId, sent) };
};

/** A claim lasts until 15 minutes after the last act of its moderator on the case. */
export const claimEnd = (at: Date): Date => new Date(at.getTime() + limits.caseClaimMs);

const renewClaim = (state: ConductState, caseId: number, moderatorId: number, at: Date): ConductState => {
  const claim = state.cases.get(caseId)?.claim;
  if (claim?.moderatorId !== moderatorId || claim.until <= at) return state;
  return withCase(state, caseId, { claim: { moderatorId, until: claimEnd(at) } });
};

export const evolveConduct = (state: ConductState, event: ConductEvent): ConductState => {
  // Events that were read from the store have their position.
  const { streamPosition } = event as { streamPosition?: number };
  return { ...evolve(state, event), version: streamPosition ?? state.version + 1 };
};

const evolve = (state: ConductState, event: ConductEvent): ConductState => {
  const { occurredAt } = event;
  switch (event.type) {
    case 'CaseOpened': {
      const { caseId, kind } = event.data;
      const known = state.cases.get(caseId);
      const opened: ConductCase = known
        ? { ...known, state: 'open', claim: null, escalation: null }
        : {
            caseId,
            kind,
            state: 'open',
            openedAt: occurredAt,
            finding: null,
            claim: null,
            escalation: null,
            decision: null,
            careCountsFrom: null,
          };
      return { ...state, cases: new Map(state.cases).set(caseId, opened) };
    }
    case 'ReportFiled': {
      const { reportId, caseId, reporterId, countsAs, weight, category, context } = event.data;
      const report: FiledReport = {
        reportId,
        caseId,
        reporterId,
        countsAs,
        weight,
        category,
        context,
        filedAt: occurredAt,
        isDecided: false,
        hasExpired: false,
      };
      return { ...state, reports: new Map(state.reports).set(reportId, report) };
    }
    case 'FindingRaised': {
      const { caseId, finding, sourceEventId } = event.data;
      const sourceEventIds = new Set(state.sourceEventIds).add(sourceEventId);
      return withCase({ ...state, sourceEventIds }, caseId, { finding });
    }
    case 'CaseClaimed': {
      const { caseId, moderatorId, until } = event.data;
      return withCase(state, caseId, { claim: { moderatorId, until: new Date(until) } });
    }
    case 'CaseReleased':
      return withCase(state, event.data.caseId, { claim: null });
    case 'CaseNoted':
      return renewClaim(state, event.data.caseId, event.data.moderatorId, occurredAt);
    case 'CaseEscalated': {
      const { caseId, moderatorId } = event.data;
      const escalation = { moderatorId, at: occurredAt };
      return withCase(state, caseId, { state: 'escalated', escalation, claim: null });
    }
    case 'CaseDecided': {
      const { caseId, moderatorId, outcome, reports } = event.data;
      const decision = { moderatorId, outcome, at: occurredAt };
      let next = withCase(state, caseId, { state: 'decided', decision, claim: null, escalation: null });
      for (const { reportId, noticeId, reporterId } of reports) {
        next = { ...next, reports: updated(next.reports, reportId, { isDecided: true }) };
        const isAppealable = outcome === 'dismissed';
        next = withNotice(next, event, 'report_decided', {
          noticeId,
          caseId,
          recipientId: reporterId,
          isAppealable,
        });
      }
      return next;
    }
    case 'PersonWarned':
      return withNotice(state, event, 'warning', event.data);
    case 'AppealFiled': {
      const { appealId, noticeId, caseId, appellantId } = event.data;
      const appeal = { appealId, noticeId, caseId, appellantId, filedAt: occurredAt, outcome: null };
      return { ...state, appeals: new Map(state.appeals).set(noticeId, appeal) };
    }
    case 'EvidenceExpired':
      return event.data.reportIds.reduce(
        (next, reportId) => ({ ...next, reports: updated(next.reports, reportId, { hasExpired: true }) }),
        state,
      );
    default:
      return evolveByStanding({ ...state, standing: evolveStanding(state.standing, event) }, event);
  }
};

const evolveByStanding = (state: ConductState, event: StandingEvent): ConductState => {
  switch (event.type) {
    case 'PersonFlagged': {
      const { caseId, cause, noticeId } = event.data;
      const flagged = withNotice({ ...state, flagCaseId: caseId }, event, 'care', { noticeId, caseId });
      return cause === 'sanction_lapsed' ? markLapsed(flagged, caseId) : flagged;
    }
    case 'FlagLifted': {
      const lifted = withNotice(state, event, 'lifted', {
        noticeId: event.data.noticeId,
        caseId: state.flagCaseId,
      });
      return { ...lifted, flagCaseId: null };
    }
    case 'SanctionImposed': {
      const { sanctionId, noticeId, kind, rule, until, caseId, isAutomatic, inheritedFrom } = event.data;
      const sanction: ImposedSanction = {
        sanctionId,
        noticeId,
        caseId,
        kind,
        rule,
        imposedAt: event.occurredAt,
        until: until === null ? null : new Date(until),
        isAutomatic,
        inheritedFrom,
        isConfirmed: false,
        isLifted: false,
        hasLapsed: false,
      };
      const sanctions = new Map(state.sanctions).set(sanctionId, sanction);
      const noticeKind = kind === 'banned' ? 'ban' : 'suspension';
      return withNotice({ ...state, sanctions }, event, noticeKind, { noticeId, caseId, sanctionId });
    }
    case 'SanctionConfirmed': {
      const { sanctionId, caseId } = event.data;
      const confirmed = withCase(state, caseId, { claim: null });
      return { ...confirmed, sanctions: updated(state.sanctions, sanctionId, { isConfirmed: true }) };
    }
    case 'SanctionLifted': {
      const { sanctionId, noticeId } = event.data;
      const caseId = state.sanctions.get(sanctionId)?.caseId ?? null;
      const sanctions = updated(state.sanctions, sanctionId, { isLifted: true });
      return withNotice({ ...state, sanctions }, event, 'lifted', { noticeId, caseId, sanctionId });
    }
    case 'AppealDecided':
      return evolveAppealDecided(state, event);
    case 'AgeAsked': {
      const { noticeId, caseId } = event.data;
      const asked = { ...state, ageAskedAt: [...state.ageAskedAt, event.occurredAt], ageCaseId: caseId };
      return withNotice(asked, event, 'age_question', { noticeId, caseId });
    }
    case 'AgeAnswered':
    case 'HoldPlaced':
    case 'HoldLifted':
      return state;
    default:
      event satisfies never;
      return state;
  }
};

const evolveAppealDecided = (
  state: ConductState,
  event: Extract<StandingEvent, { type: 'AppealDecided' }>,
): ConductState => {
  const { noticeId, answerNoticeId, caseId, outcome, sanctionId, until } = event.data;
  const appeal = state.appeals.get(noticeId);
  const appealed = state.notices.get(noticeId);
  let next = withCase(state, caseId, { claim: null });
  next = { ...next, appeals: updated(next.appeals, noticeId, { outcome }) };
  if (until !== null) {
    // A ban has no end, so a reduced one is a suspension.
    const change = { kind: 'suspended', until: new Date(until) } as const;
    next = { ...next, sanctions: updated(next.sanctions, sanctionId, change) };
  }
  if (outcome === 'reversed' && appealed?.kind !== 'report_decided')
    next = withCase(next, caseId, { careCountsFrom: event.occurredAt });
  if (!appeal) return next;
  const { appellantId: recipientId } = appeal;
  return withNotice(next, event, 'appeal_decided', { noticeId: answerNoticeId, caseId, recipientId });
};

const markLapsed = (state: ConductState, caseId: number | null): ConductState => {
  const sanctions = new Map(state.sanctions);
  for (const [id, sanction] of sanctions)
    if (sanction.isAutomatic && sanction.caseId === caseId)
      sanctions.set(id, { ...sanction, hasLapsed: true });
  return { ...state, sanctions };
};

/** The case that no moderator has decided; there is at most one. */
export const findUndecidedCase = ({ cases }: ConductState): ConductCase | null =>
  [...cases.values()].find(({ state }) => state !== 'decided') ?? null;

export const reportsOf = ({ reports }: ConductState, caseId: number): FiledReport[] =>
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

export const sanctionsOf = ({ sanctions }: ConductState, caseId: number): ImposedSanction[] =>
  [...sanctions.values()].filter((sanction) => sanction.caseId === caseId);

/** Whether a moderator has something to do in the case: a decision, a confirmation, or an appeal. */
export const isWaiting = (state: ConductState, { caseId, state: caseState }: ConductCase): boolean =>
  caseState !== 'decided' ||
  sanctionsOf(state, caseId).some(awaitsConfirmation) ||
  [...state.appeals.values()].some((appeal) => appeal.caseId === caseId && appeal.outcome === null);
