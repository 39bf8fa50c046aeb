import fc from 'fast-check';
import {
  createConfirmation,
  createDecision,
  createFinding,
  ada,
  createReport,
  ConductHistory,
  type CommandInput,
  HOUR_MS,
} from '../../../testing/conduct-events.fixture';
import { DomainError } from '../../../platform/errors/domain.errors';
import type { StandingEvent } from '../../standings/domain/standing.events';
import {
  evolveStanding,
  createStandingState,
  computeStandingAt,
} from '../../standings/domain/standing.state';
import { awaitsConfirmation, createConductState } from './conduct-state.types';
import type { ConductEvent } from './conduct.events';
import { evolveConduct } from './conduct.state';

const RUNS = 400;
const MODERATOR_IDS = [100, 200];
/** The first id of the sanctions that the user inherits from other users. The history itself gives out smaller ids. */
const FIRST_INHERITED_ID = 1_000_000;
const UNKNOWN_CASE_ID = 0;
/** The shortest wait is within the time of a claim, the longest one is past every time limit. */
const WAITS_H = [0.2, 1, 24, 25, 72, 24 * 31, 24 * 184];

/** Builds the command of the step from the history so far; null when there is nothing to command. */
type CommandFactory = (history: ConductHistory) => CommandInput | null;
/** The name appears in the counterexample when the property fails. */
type NamedStep = readonly [name: string, createCommand: CommandFactory];

/** The value at the index, which wraps around; undefined when there are no values. */
const pick = <Value>(values: readonly Value[], index: number): Value | undefined =>
  values[index % Math.max(1, values.length)];

/** Like `pick`, but from the `count` newest values, since most rules concern them. */
const pickRecent = <Value>(values: Iterable<Value>, index: number, count: number): Value | undefined =>
  pick([...values].reverse(), index % count);

const chooseInheritedId = (index: number): number => FIRST_INHERITED_ID + (index % 3);
const addHours = (time: Date, hours: number): Date => new Date(time.getTime() + hours * HOUR_MS);

const anyModeratorId = fc.constantFrom(...MODERATOR_IDS);
const anyIndex = fc.nat({ max: 50 });

const reportStep = fc
  .tuple(fc.integer({ min: 10, max: 20 }), fc.constantFrom(0 as const, 1 as const, 1 as const), anyIndex)
  .map(([reporterId, weight, index]): NamedStep => [
    `report by ${reporterId}`,
    () =>
      createReport(reporterId, {
        weight,
        context: {
          where: 'random_chat',
          // Few chats, so that some reports are repeated.
          sessionId: `chat ${index % 4}`,
          at: '2026-11-20T00:00:00.000Z',
        },
      }),
  ]);

const confirmationStep = fc
  .tuple(anyModeratorId, fc.boolean(), fc.boolean(), anyIndex)
  .map(([moderatorId, isConfirmed, isOnlyModerator, index]): NamedStep => [
    `confirmation by ${moderatorId}`,
    (history) =>
      createConfirmation(history, {
        moderatorId,
        isConfirmed,
        isOnlyModerator,
        caseId:
          [...history.state.sanctions.values()].find(awaitsConfirmation)?.caseId ??
          pick([...history.state.cases.keys()], index) ??
          UNKNOWN_CASE_ID,
      }),
  ]);

const decisionStep = fc
  .tuple(
    fc.constantFrom('dismissed' as const, 'warned' as const, 'suspended' as const, 'banned' as const),
    anyModeratorId,
    // How many events the moderator has not seen. With 1 the decision is refused.
    fc.constantFrom(0, 0, 0, 1),
    anyIndex,
  )
  .map(([outcome, moderatorId, unseenCount, index]): NamedStep => [
    `${outcome} by ${moderatorId}`,
    (history) =>
      createDecision(history, outcome, {
        moderatorId,
        version: history.state.version - unseenCount,
        caseId: pickRecent(history.state.cases.keys(), index, 3) ?? UNKNOWN_CASE_ID,
      }),
  ]);

const appealStep = anyIndex.map((index): NamedStep => [
  'appeal',
  ({ state }) => {
    const notice = pick([...state.notices.values()], index);
    return notice
      ? { type: 'FileAppeal', noticeId: notice.noticeId, appellantId: notice.recipientId, words: 'No' }
      : null;
  },
]);

const appealDecisionStep = fc
  .tuple(
    anyModeratorId,
    fc.constantFrom('upheld' as const, 'reduced' as const, 'reversed' as const),
    fc.boolean(),
    anyIndex,
  )
  .map(([moderatorId, outcome, isOnlyModerator, index]): NamedStep => [
    `${outcome} by ${moderatorId}`,
    ({ state, now }) => {
      const appeal = pickRecent(state.appeals.values(), index, 4);
      if (!appeal) return null;
      return {
        type: 'DecideAppeal',
        appealId: appeal.appealId,
        moderatorId,
        version: state.version,
        excludedModeratorIds: [],
        isOnlyModerator,
        outcome,
        until: outcome === 'reduced' ? addHours(now, 1) : null,
        answer: 'We have looked.',
      };
    },
  ]);

const claimStep = fc
  .tuple(anyModeratorId, fc.constantFrom('ClaimCase' as const, 'ReleaseCase' as const))
  .map(([moderatorId, type]): NamedStep => [
    `${type} by ${moderatorId}`,
    ({ caseId }) => ({ type, caseId, moderatorId }),
  ]);

const escalationStep = anyModeratorId.map((moderatorId): NamedStep => [
  `escalation by ${moderatorId}`,
  ({ caseId, state: { version } }) => ({
    type: 'EscalateCase',
    caseId,
    moderatorId,
    version,
    reason: 'Hard',
  }),
]);

const liftStep = fc.tuple(anyModeratorId, anyIndex).map(([moderatorId, index]): NamedStep => [
  'lift',
  ({ state }) => {
    const sanctionId = pickRecent(state.sanctions.keys(), index, 3);
    return sanctionId === undefined
      ? null
      : { type: 'LiftSanction', sanctionId, moderatorId, reason: 'Enough' };
  },
]);

const findingStep = fc
  .tuple(fc.constantFrom('stated_age' as const, 'many_accounts' as const, 'classifier' as const), anyIndex)
  .map(([finding, index]): NamedStep => [
    `finding ${finding}`,
    () => createFinding(finding, `source ${index}`),
  ]);

const ageAnswerStep = fc.constantFrom('adult' as const, 'minor' as const).map((answer): NamedStep => [
  `age answer ${answer}`,
  ({ state }) => {
    const noticeId = state.standing.ageQuestion?.noticeId;
    return noticeId === undefined ? null : { type: 'AnswerAgeQuestion', noticeId, answer };
  },
]);

const inheritanceStep = anyIndex.map((index): NamedStep => [
  'inherit a sanction',
  () => ({
    type: 'InheritSanction',
    sanctionId: chooseInheritedId(index),
    kind: 'suspended',
    rule: 'no_spam',
    until: null,
  }),
]);

/** The source of an inherited sanction is lifted, or shortened to some hours from now. */
const sourceEndStep = fc
  .tuple(anyIndex, fc.constantFrom('lifted' as const, 1, 48))
  .map(([index, liftedOrHours]): NamedStep => [
    liftedOrHours === 'lifted'
      ? 'source of a sanction is lifted'
      : `source of a sanction ends in ${liftedOrHours} h`,
    ({ now }) => ({
      type: 'AlignInheritedSanction',
      sourceId: chooseInheritedId(index),
      sourceEnd: liftedOrHours === 'lifted' ? 'lifted' : addHours(now, liftedOrHours),
    }),
  ]);

const timeLimitsStep = fc.constant<NamedStep>(['time limits', () => ({ type: 'ApplyTimeLimits' })]);

const waitStep = fc.constantFrom(...WAITS_H).map((hours): NamedStep => [
  `${hours} h later`,
  (history) => {
    history.wait(hours * HOUR_MS);
    return null;
  },
]);

const anyStepButReport: fc.Arbitrary<NamedStep> = fc.oneof(
  // Most confirmations are refused, because only a ban that another moderator has decided can be confirmed. Decisions
  // and confirmations are drawn more often, so that some succeed.
  { weight: 3, arbitrary: decisionStep },
  { weight: 4, arbitrary: confirmationStep },
  appealStep,
  appealDecisionStep,
  claimStep,
  escalationStep,
  liftStep,
  findingStep,
  ageAnswerStep,
  inheritanceStep,
  sourceEndStep,
  timeLimitsStep,
  waitStep,
);

/** One act of a user, a moderator, an automatic rule or the clock. It concerns cases and notices that exist by then. */
const anyStep: fc.Arbitrary<NamedStep> = fc.oneof(
  { weight: 2, arbitrary: reportStep },
  { weight: 3, arbitrary: anyStepButReport },
);

/**
 * Executes a command that may be refused. Every other error is a failure of the test.
 * @returns the events of the command; none if it was refused
 */
const executeUnlessRefused = (history: ConductHistory, command: CommandInput | null): ConductEvent[] => {
  if (!command) return [];
  try {
    return history.execute(command);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [];
  }
};

const expectOneUndecidedCaseAtMost = ({ state }: ConductHistory): void => {
  const undecidedCases = [...state.cases.values()].filter((conductCase) => conductCase.state !== 'decided');
  expect(undecidedCases.length).toBeLessThanOrEqual(1);
};

/** Expects that every sanction and every flag sends a notice, and that a decision covers all reports of its case. */
const expectNoticesAndDecidedReports = (
  { state }: ConductHistory,
  newEvents: readonly ConductEvent[],
): void => {
  for (const event of newEvents) {
    if (event.type === 'SanctionImposed')
      expect(state.notices.get(event.data.noticeId)).toMatchObject({ recipientId: ada });
    if (event.type === 'PersonFlagged') expect(state.notices.has(event.data.noticeId)).toBe(true);
    if (event.type === 'CaseDecided') {
      const reportsOfCase = [...state.reports.values()].filter(({ caseId }) => caseId === event.data.caseId);
      expect(event.data.reports).toHaveLength(reportsOfCase.length);
    }
  }
};

/** The types of standing events that the steps cause. No step places or lifts a hold. */
const causedStandingTypes: readonly StandingEvent['type'][] = [
  'PersonFlagged',
  'FlagLifted',
  'SanctionImposed',
  'SanctionConfirmed',
  'SanctionLifted',
  'AppealDecided',
  'AgeAsked',
  'AgeAnswered',
];
const standingTypes: readonly StandingEvent['type'][] = [...causedStandingTypes, 'HoldPlaced', 'HoldLifted'];
const isStandingEvent = (event: { type: string }): event is StandingEvent =>
  standingTypes.some((type) => type === event.type);

/** The module standings folds only its own events. Expects that it gets the same standing (restrictions in force). */
const expectSameStandingFromStandingEvents = ({ state, events, now }: ConductHistory): void => {
  const foldedStanding = events.filter(isStandingEvent).reduce(evolveStanding, createStandingState());
  expect(computeStandingAt(foldedStanding, now)).toEqual(computeStandingAt(state.standing, now));
};

/** Expects that no moderator has reviewed their own decision, unless they were the only moderator. */
const expectSecondModerators = ({ events }: ConductHistory): void => {
  // null: decided automatically, so any moderator may review the decision.
  const deciderByCase = new Map<number | null, number | null>();
  const deciderByNotice = new Map<number, number | null>();
  const deciderBySanction = new Map<number, number | null>();
  for (const event of events) {
    switch (event.type) {
      case 'CaseDecided':
        deciderByCase.set(event.data.caseId, event.data.moderatorId);
        for (const { noticeId } of event.data.reports) deciderByNotice.set(noticeId, event.data.moderatorId);
        break;
      case 'PersonWarned':
        deciderByNotice.set(event.data.noticeId, deciderByCase.get(event.data.caseId) ?? null);
        break;
      case 'SanctionImposed':
        if (!event.data.isAutomatic) {
          const deciderId = deciderByCase.get(event.data.caseId) ?? null;
          deciderByNotice.set(event.data.noticeId, deciderId);
          deciderBySanction.set(event.data.sanctionId, deciderId);
        }
        break;
      case 'AppealDecided':
        if (!event.data.isSolo)
          expect(event.data.moderatorId).not.toBe(deciderByNotice.get(event.data.noticeId));
        break;
      case 'SanctionConfirmed':
        if (!event.data.isSolo)
          expect(event.data.moderatorId).not.toBe(deciderBySanction.get(event.data.sanctionId));
        break;
      default:
    }
  }
};

it('every history keeps the rules about undecided cases, notices, second moderators and the standing', () => {
  const eventTypes = new Set<string>();
  fc.assert(
    // Without `size`, fast-check would draw short histories only.
    fc.property(fc.array(anyStep, { minLength: 5, maxLength: 60, size: 'max' }), (steps) => {
      const history = new ConductHistory();
      for (const [, createCommand] of steps) {
        const newEvents = executeUnlessRefused(history, createCommand(history));
        expectOneUndecidedCaseAtMost(history);
        expectNoticesAndDecidedReports(history, newEvents);
        expectSameStandingFromStandingEvents(history);
      }
      expectSecondModerators(history);
      expect(history.events.reduce(evolveConduct, createConductState())).toEqual(history.state);
      for (const { type } of history.events) eventTypes.add(type);
    }),
    { numRuns: RUNS },
  );
  // The rules have been tested only if the random histories contain these events.
  const expectedTypes = [
    ...causedStandingTypes,
    'AppealFiled',
    'CaseEscalated',
    'CaseClaimed',
    'PersonWarned',
  ];
  expect(expectedTypes.filter((type) => !eventTypes.has(type))).toEqual([]);
});
