import { limits } from '@thaw/contract/limits';
import type { NoticeKind } from '@thaw/contract/safety';
import type { StandingEvent } from '../../standings/domain/standing.events';
import { evolveStanding } from '../../standings/domain/standing.state';
import type {
  ConductCase,
  ConductState,
  FiledReport,
  ImposedSanction,
  SentNotice,
} from './conduct-state.types';
import type { ConductEvent } from './conduct.events';

/** Changes an entry of a map. An unknown id, or null, changes nothing. */
const updateEntry = <Value extends object>(
  entries: ReadonlyMap<number, Value>,
  id: number | null,
  change: Partial<Value>,
): ReadonlyMap<number, Value> => {
  if (id === null) return entries;
  const entry = entries.get(id);
  return entry ? new Map(entries).set(id, { ...entry, ...change }) : entries;
};

const updateCase = (
  state: ConductState,
  caseId: number | null,
  change: Partial<ConductCase>,
): ConductState => ({
  ...state,
  cases: updateEntry(state.cases, caseId, change),
});

const updateReport = (state: ConductState, reportId: number, change: Partial<FiledReport>): ConductState => ({
  ...state,
  reports: updateEntry(state.reports, reportId, change),
});

const updateSanction = (
  state: ConductState,
  sanctionId: number | null,
  change: Partial<ImposedSanction>,
): ConductState => ({
  ...state,
  sanctions: updateEntry(state.sanctions, sanctionId, change),
});

/**
 * Kinds of notices that a user can appeal. `care` announces a flag: the user is matched only with other flagged users.
 * A `report_decided` can be appealed as well if it states a dismissal.
 */
const appealableKinds: readonly NoticeKind[] = ['warning', 'care', 'suspension', 'ban'];

interface NoticeOfEvent {
  kind: NoticeKind;
  /** Null if the event sends no notice. */
  noticeId: number | null;
  caseId: number | null;
  /** The user of the stream by default. */
  recipientId?: number;
  sanctionId?: number | null;
  decidedBy?: number | null;
  /** Determined by `appealableKinds` by default. */
  isAppealable?: boolean;
}

/** Adds the notice that an event sends. */
const addNotice = (
  state: ConductState,
  { occurredAt, data }: ConductEvent,
  { noticeId, ...details }: NoticeOfEvent,
): ConductState => {
  if (noticeId === null) return state;
  const sent: SentNotice = {
    noticeId,
    recipientId: data.userId,
    sanctionId: null,
    createdAt: occurredAt,
    decidedBy: null,
    isAppealable: appealableKinds.includes(details.kind),
    ...details,
  };
  return { ...state, notices: new Map(state.notices).set(noticeId, sent) };
};

/** The moderator who decided the case last. */
const findDecidingModerator = ({ cases }: ConductState, caseId: number | null): number | null =>
  (caseId === null ? null : cases.get(caseId)?.decision?.moderatorId) ?? null;

/** A claim reserves a case until `caseClaimMs` after `at`, the last act of its moderator on the case. */
export const computeClaimEnd = (at: Date): Date => new Date(at.getTime() + limits.caseClaimMs);

/** An act of the moderator who has claimed the case extends the claim, unless it has ended. */
const renewClaim = (state: ConductState, caseId: number, moderatorId: number, at: Date): ConductState => {
  const claim = state.cases.get(caseId)?.claim;
  if (claim?.moderatorId !== moderatorId || claim.until <= at) return state;
  return updateCase(state, caseId, { claim: { moderatorId, until: computeClaimEnd(at) } });
};

/** Applies an event of a user's conduct stream: reports, cases, sanctions and appeals. */
export const evolveConduct = (state: ConductState, event: ConductEvent): ConductState => {
  // Events from the store have a position; events that the decider has just returned do not have one yet.
  const { streamPosition } = event as { streamPosition?: number };
  return { ...evolveWithoutVersion(state, event), version: streamPosition ?? state.version + 1 };
};

const evolveWithoutVersion = (state: ConductState, event: ConductEvent): ConductState => {
  const { occurredAt } = event;
  switch (event.type) {
    case 'CaseOpened': {
      const { caseId, kind } = event.data;
      // A case with this id exists when an appeal opens it again.
      const reopenedCase = state.cases.get(caseId);
      const openCase: ConductCase = reopenedCase
        ? { ...reopenedCase, state: 'open', claim: null, escalation: null }
        : {
            caseId,
            kind,
            state: 'open',
            openedAt: occurredAt,
            finding: null,
            claim: null,
            escalation: null,
            decision: null,
            lastReversalAt: null,
          };
      const reports = reopenedCase ? markUndecided(state.reports, caseId) : state.reports;
      return { ...state, reports, cases: new Map(state.cases).set(caseId, openCase) };
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
      return updateCase({ ...state, sourceEventIds }, caseId, { finding });
    }
    case 'CaseClaimed': {
      const { caseId, moderatorId, until } = event.data;
      return updateCase(state, caseId, { claim: { moderatorId, until: new Date(until) } });
    }
    case 'CaseReleased':
      return updateCase(state, event.data.caseId, { claim: null });
    case 'CaseNoted':
      return renewClaim(state, event.data.caseId, event.data.moderatorId, occurredAt);
    case 'CaseEscalated': {
      const { caseId, moderatorId } = event.data;
      const escalation = { moderatorId, at: occurredAt };
      return updateCase(state, caseId, { state: 'escalated', escalation, claim: null });
    }
    case 'CaseDecided':
      return evolveCaseDecided(state, event);
    case 'PersonWarned': {
      const { noticeId, caseId } = event.data;
      const decidedBy = findDecidingModerator(state, caseId);
      return addNotice(state, event, { kind: 'warning', noticeId, caseId, decidedBy });
    }
    case 'AppealFiled': {
      const { appealId, noticeId, caseId, appellantId } = event.data;
      const appeal = { appealId, noticeId, caseId, appellantId, filedAt: occurredAt, outcome: null };
      return { ...state, appeals: new Map(state.appeals).set(noticeId, appeal) };
    }
    case 'EvidenceExpired':
      return event.data.reportIds.reduce(
        (next, reportId) => updateReport(next, reportId, { hasExpired: true }),
        state,
      );
    default: {
      const standing = evolveStanding(state.standing, event);
      return evolveOutsideStanding({ ...state, standing }, event);
    }
  }
};

/** Marks all reports of the case as decided, and adds a notice for each reporter. */
const evolveCaseDecided = (
  state: ConductState,
  event: Extract<ConductEvent, { type: 'CaseDecided' }>,
): ConductState => {
  const { caseId, moderatorId, outcome, reports } = event.data;
  const decision = { moderatorId, outcome, at: event.occurredAt };
  let next = updateCase(state, caseId, { state: 'decided', decision, claim: null, escalation: null });
  for (const { reportId, noticeId, reporterId } of reports) {
    next = updateReport(next, reportId, { isDecided: true });
    next = addNotice(next, event, {
      kind: 'report_decided',
      noticeId,
      caseId,
      recipientId: reporterId,
      isAppealable: outcome === 'dismissed',
      decidedBy: moderatorId,
    });
  }
  return next;
};

/** Applies what an event about the standing (the restrictions in force) changes outside `state.standing`. */
const evolveOutsideStanding = (state: ConductState, event: StandingEvent): ConductState => {
  switch (event.type) {
    case 'PersonFlagged': {
      const { caseId, cause, noticeId } = event.data;
      const flagged = addNotice({ ...state, flagCaseId: caseId }, event, { kind: 'care', noticeId, caseId });
      return cause === 'sanction_lapsed' ? markLedToFlag(flagged, caseId) : flagged;
    }
    case 'FlagLifted': {
      const { noticeId } = event.data;
      const lifted = addNotice(state, event, { kind: 'lifted', noticeId, caseId: state.flagCaseId });
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
        hasLedToFlag: false,
      };
      const sanctions = new Map(state.sanctions).set(sanctionId, sanction);
      const decidedBy = isAutomatic ? null : findDecidingModerator(state, caseId);
      return addNotice({ ...state, sanctions }, event, {
        kind: kind === 'banned' ? 'ban' : 'suspension',
        noticeId,
        caseId,
        sanctionId,
        decidedBy,
      });
    }
    case 'SanctionConfirmed': {
      const { sanctionId, caseId } = event.data;
      const unclaimed = updateCase(state, caseId, { claim: null });
      return updateSanction(unclaimed, sanctionId, { isConfirmed: true });
    }
    case 'SanctionLifted': {
      const { sanctionId, noticeId } = event.data;
      const caseId = state.sanctions.get(sanctionId)?.caseId ?? null;
      const lifted = updateSanction(state, sanctionId, { isLifted: true });
      return addNotice(lifted, event, { kind: 'lifted', noticeId, caseId, sanctionId });
    }
    case 'AppealDecided':
      return evolveAppealDecided(state, event);
    case 'AgeAsked': {
      const { noticeId, caseId } = event.data;
      const asked = {
        ...state,
        ageQuestionTimes: [...state.ageQuestionTimes, event.occurredAt],
        ageCaseId: caseId,
      };
      return addNotice(asked, event, { kind: 'age_question', noticeId, caseId });
    }
    // These events change only `state.standing`.
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
  let next = updateCase(state, caseId, { claim: null });
  next = { ...next, appeals: updateEntry(next.appeals, noticeId, { outcome }) };
  // A ban has no end, so an appeal that sets one makes it a suspension.
  if (until !== null) next = updateSanction(next, sanctionId, { kind: 'suspended', until: new Date(until) });
  // Automatic care (a flag or suspension after reports of several users) ignores reports before `lastReversalAt`. A
  // reporter's successful appeal against a dismissal does not set it, because it confirms the reports.
  const isAppealOfReporter = state.notices.get(noticeId)?.kind === 'report_decided';
  if (outcome === 'reversed' && !isAppealOfReporter)
    next = updateCase(next, caseId, { lastReversalAt: event.occurredAt });
  const appeal = state.appeals.get(noticeId);
  if (!appeal) return next; // only satisfies the compiler: an appeal is filed before it is decided
  const { appellantId: recipientId } = appeal;
  return addNotice(next, event, { kind: 'appeal_decided', noticeId: answerNoticeId, caseId, recipientId });
};

/** Marks the reports of a case as undecided, because the case is opened again. */
const markUndecided = (reports: ConductState['reports'], caseId: number): ConductState['reports'] =>
  new Map(
    [...reports].map(([id, report]) => [
      id,
      report.caseId === caseId ? { ...report, isDecided: false } : report,
    ]),
  );

/** Marks the automatic sanctions of a case as having led to a flag, so that their end does not lead to another. */
const markLedToFlag = (state: ConductState, caseId: number | null): ConductState => {
  const sanctions = new Map(state.sanctions);
  for (const [id, sanction] of sanctions)
    if (sanction.isAutomatic && sanction.caseId === caseId)
      sanctions.set(id, { ...sanction, hasLedToFlag: true });
  return { ...state, sanctions };
};
