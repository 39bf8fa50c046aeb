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
import { evolveConduct } from './conduct.state';

const RUNS = 400;
const MODERATOR_IDS = [100, 200];
/** The first id of the sanctions that the user inherits from other users. The history itself gives out smaller ids. */
const FIRST_INHERITED_ID = 1_000_000;
const UNKNOWN_CASE_ID = 0;

/** Builds the command of the step from the history so far; null when there is nothing to command. */
type CommandFactory = (history: ConductHistory) => CommandInput | null;
/** The name appears in the counterexample when the property fails. */
type NamedStep = readonly [name: string, createCommand: CommandFactory];

/** The version of the user's stream that the moderator has seen: the present one, or the one before. */
const chooseVersion = ({ state }: ConductHistory, isOld: boolean): number => state.version - Number(isOld);

/** The value at the index, which wraps around; undefined when there are no values. */
const pick = <Value>(values: readonly Value[], index: number): Value | undefined =>
  values[index % Math.max(1, values.length)];

/** One of the `count` newest values, since most rules concern them; undefined when there are no values. */
const pickRecent = <Value>(values: Iterable<Value>, nth: number, count: number): Value | undefined =>
  pick([...values].reverse(), nth % count);

const moderator = fc.constantFrom(...MODERATOR_IDS);
/** An index into lists of the history. It wraps around in shorter lists. */
const index = fc.nat({ max: 50 });
/** Whether a moderator has seen an older version of the case than the present one: true in one of four draws. */
const isOld = fc.constantFrom(false, false, false, true);

const report: fc.Arbitrary<NamedStep> = fc
  .tuple(fc.integer({ min: 10, max: 20 }), fc.constantFrom(0 as const, 1 as const, 1 as const), index)
  .map(([reporterId, weight, nth]): NamedStep => [
    `report by ${reporterId}`,
    () =>
      createReport(reporterId, {
        weight,
        context: {
          where: 'random_chat',
          // Few chats, so that some reports are repeated.
          sessionId: `chat ${nth % 4}`,
          at: '2026-11-20T00:00:00.000Z',
        },
      }),
  ]);

const confirmation: fc.Arbitrary<NamedStep> = fc
  .tuple(moderator, fc.boolean(), fc.boolean(), index)
  .map(([moderatorId, isConfirmed, isOnlyModerator, nth]): NamedStep => [
    `confirmation by ${moderatorId}`,
    (history) =>
      createConfirmation(history, {
        moderatorId,
        isConfirmed,
        isOnlyModerator,
        caseId:
          [...history.state.sanctions.values()].find(awaitsConfirmation)?.caseId ??
          pick([...history.state.cases.keys()], nth) ??
          UNKNOWN_CASE_ID,
      }),
  ]);

const decision: fc.Arbitrary<NamedStep> = fc
  .tuple(
    fc.constantFrom('dismissed' as const, 'warned' as const, 'suspended' as const, 'banned' as const),
    moderator,
    isOld,
    index,
  )
  .map(([outcome, moderatorId, isOldVersion, nth]): NamedStep => [
    `${outcome} by ${moderatorId}`,
    (history) =>
      createDecision(history, outcome, {
        moderatorId,
        version: chooseVersion(history, isOldVersion),
        caseId: pickRecent(history.state.cases.keys(), nth, 3) ?? UNKNOWN_CASE_ID,
      }),
  ]);

const otherStep: fc.Arbitrary<NamedStep> = fc.oneof(
  // Both are drawn more often: only a ban that another moderator has decided can be confirmed, so most confirmations
  // are refused.
  { weight: 3, arbitrary: decision },
  { weight: 4, arbitrary: confirmation },
  index.map((nth): NamedStep => [
    'appeal',
    ({ state }) => {
      const notice = pick([...state.notices.values()], nth);
      return notice
        ? { type: 'FileAppeal', noticeId: notice.noticeId, appellantId: notice.recipientId, words: 'No' }
        : null;
    },
  ]),
  fc
    .tuple(
      moderator,
      fc.constantFrom('upheld' as const, 'reduced' as const, 'reversed' as const),
      fc.boolean(),
      index,
    )
    .map(([moderatorId, outcome, isOnlyModerator, nth]): NamedStep => [
      `${outcome} by ${moderatorId}`,
      ({ state, now }) => {
        const appeal = pickRecent(state.appeals.values(), nth, 4);
        const until = outcome === 'reduced' ? new Date(now.getTime() + HOUR_MS) : null;
        return appeal
          ? {
              type: 'DecideAppeal',
              appealId: appeal.appealId,
              moderatorId,
              version: state.version,
              excludedModeratorIds: [],
              isOnlyModerator,
              outcome,
              until,
              answer: 'We have looked.',
            }
          : null;
      },
    ]),
  fc
    .tuple(moderator, fc.constantFrom('ClaimCase' as const, 'ReleaseCase' as const))
    .map(([moderatorId, type]): NamedStep => [
      `${type} by ${moderatorId}`,
      ({ caseId }) => ({ type, caseId, moderatorId }),
    ]),
  moderator.map((moderatorId): NamedStep => [
    `escalation by ${moderatorId}`,
    ({ caseId, state: { version } }) => ({
      type: 'EscalateCase',
      caseId,
      moderatorId,
      version,
      reason: 'Hard',
    }),
  ]),
  fc.tuple(moderator, index).map(([moderatorId, nth]): NamedStep => [
    'lift',
    ({ state }) => {
      const sanctionId = pickRecent(state.sanctions.keys(), nth, 3);
      return sanctionId === undefined
        ? null
        : { type: 'LiftSanction', sanctionId, moderatorId, reason: 'Enough' };
    },
  ]),
  fc
    .tuple(fc.constantFrom('stated_age' as const, 'many_accounts' as const, 'classifier' as const), index)
    .map(([finding, nth]): NamedStep => [
      `finding ${finding}`,
      () => createFinding(finding, `source ${nth}`),
    ]),
  fc.constantFrom('adult' as const, 'minor' as const).map((answer): NamedStep => [
    `answer ${answer}`,
    ({ state }) => {
      const noticeId = state.standing.ageQuestion?.noticeId;
      return noticeId === undefined ? null : { type: 'AnswerAgeQuestion', noticeId, answer };
    },
  ]),
  index.map((nth): NamedStep => [
    'inherit a sanction',
    () => ({
      type: 'InheritSanction',
      sanctionId: FIRST_INHERITED_ID + (nth % 3),
      kind: 'suspended',
      rule: 'no_spam',
      until: null,
    }),
  ]),
  fc.tuple(index, fc.constantFrom(null, 1, 48)).map(([nth, hours]): NamedStep => [
    `inherited sanction ends in ${hours} h`,
    ({ now }) => ({
      type: 'AlignInheritedSanction',
      sanctionId: FIRST_INHERITED_ID + (nth % 3),
      until: hours === null ? null : new Date(now.getTime() + hours * HOUR_MS),
    }),
  ]),
  fc.constant<NamedStep>(['time limits', () => ({ type: 'ApplyTimeLimits' })]),
  // Within the time of a claim, and past the limits of reviews by the only moderator, automatic suspensions, flags and
  // appeals.
  fc.constantFrom(0.2, 1, 24, 25, 72, 24 * 31, 24 * 184).map((hours): NamedStep => [
    `${hours} h later`,
    (history) => {
      history.wait(hours * HOUR_MS);
      return null;
    },
  ]),
);

/** One act of a user, a moderator, an automatic rule or the clock. It concerns cases and notices that exist by then. */
const step: fc.Arbitrary<NamedStep> = fc.oneof(
  { weight: 2, arbitrary: report },
  { weight: 3, arbitrary: otherStep },
);

/** Executes a command that may be refused. Every other error is a failure of the test. */
const executeUnlessRefused = (history: ConductHistory, command: CommandInput | null): void => {
  if (!command) return;
  try {
    history.execute(command);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
};

/** Checks the state, and the events of the newest step, which begin at the index. */
const expectInvariants = ({ state, events, now }: ConductHistory, firstEventIndex: number): void => {
  const undecidedCases = [...state.cases.values()].filter((conductCase) => conductCase.state !== 'decided');
  expect(undecidedCases.length).toBeLessThanOrEqual(1);
  // Every sanction and every flag sends a notice, and a decision covers all reports of its case.
  for (const event of events.slice(firstEventIndex)) {
    if (event.type === 'SanctionImposed')
      expect(state.notices.get(event.data.noticeId)).toMatchObject({ recipientId: ada });
    if (event.type === 'PersonFlagged') expect(state.notices.has(event.data.noticeId)).toBe(true);
    if (event.type === 'CaseDecided')
      expect(event.data.reports).toHaveLength(
        [...state.reports.values()].filter(({ caseId }) => caseId === event.data.caseId).length,
      );
  }
  // The module standings folds only its own events, and gets the same standing (restrictions in force).
  const foldedStanding = events.filter(isStandingEvent).reduce(evolveStanding, createStandingState());
  expect(computeStandingAt(foldedStanding, now)).toEqual(computeStandingAt(state.standing, now));
};

const standingTypes: readonly StandingEvent['type'][] = [
  'PersonFlagged',
  'FlagLifted',
  'SanctionImposed',
  'SanctionConfirmed',
  'SanctionLifted',
  'AppealDecided',
  'AgeAsked',
  'AgeAnswered',
  'HoldPlaced',
  'HoldLifted',
];
const isStandingEvent = (event: { type: string }): event is StandingEvent =>
  standingTypes.some((type) => type === event.type);

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
  const countsByType = new Map<string, number>();
  fc.assert(
    // Without `size`, fast-check would draw short histories only.
    fc.property(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), (steps) => {
      const history = new ConductHistory();
      for (const [, createCommand] of steps) {
        const firstEventIndex = history.events.length;
        executeUnlessRefused(history, createCommand(history));
        expectInvariants(history, firstEventIndex);
      }
      expectSecondModerators(history);
      expect(history.events.reduce(evolveConduct, createConductState())).toEqual(history.state);
      for (const { type } of history.events) countsByType.set(type, (countsByType.get(type) ?? 0) + 1);
    }),
    { numRuns: RUNS },
  );
  // The random histories contain every one of these events, apart from holds, which no step places.
  for (const type of [...standingTypes, 'AppealFiled', 'CaseEscalated', 'CaseClaimed', 'PersonWarned'])
    if (type !== 'HoldPlaced' && type !== 'HoldLifted')
      expect([type, countsByType.get(type) ?? 0]).not.toEqual([type, 0]);
});
