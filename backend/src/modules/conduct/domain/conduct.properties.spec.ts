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
import { createConductState } from './conduct-state.types';
import { awaitsConfirmation } from './conduct-state.types';
import { evolveConduct } from './conduct.state';

const RUNS = 400;
const MODERATORS = [100, 200];
/** Ids of sanctions of other users, from which the user inherits. They differ from all ids of the history. */
const FIRST_SOURCE_ID = 1_000_000;

type Step = (history: ConductHistory) => CommandInput | null;
type NamedStep = readonly [name: string, step: Step];

/** The command is executed as if the moderator saw the present state, or an earlier version. */
const chooseVersion = ({ state }: ConductHistory, isOld: boolean): number => state.version - Number(isOld);

/** The value at the index, which wraps around. */
const pick = <Value>(values: readonly Value[], index: number): Value | undefined =>
  values[index % Math.max(1, values.length)];

const moderator = fc.constantFrom(...MODERATORS);
const index = fc.nat({ max: 50 });
/** Whether a command names an older version of the case than the present one. */
const isOld = fc.constantFrom(false, false, false, true);

/** One act of a user, a moderator, an automatic rule or the clock, on whatever exists then. */
const step: fc.Arbitrary<NamedStep> = fc
  .oneof(
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.integer({ min: 10, max: 20 }),
        fc.constantFrom(0 as const, 1 as const, 1 as const),
        index,
      ),
    },
    { weight: 3, arbitrary: fc.constant(null) },
  )
  .chain((drawn): fc.Arbitrary<NamedStep> =>
    drawn
      ? fc.constant([
          `report by ${drawn[0]}`,
          () =>
            createReport(drawn[0], {
              weight: drawn[1],
              context: {
                where: 'random_chat',
                sessionId: `chat ${drawn[2] % 4}`,
                at: '2026-11-20T00:00:00.000Z',
              },
            }),
        ] as const)
      : otherStep,
  );

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
          0,
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
        caseId: pick([...history.state.cases.keys()].reverse(), nth % 3) ?? 0,
      }),
  ]);

const otherStep: fc.Arbitrary<NamedStep> = fc.oneof(
  // Most attempts are refused: only a ban that another moderator has decided can be confirmed.
  { weight: 3, arbitrary: decision },
  { weight: 4, arbitrary: confirmation },
  index.map((nth): NamedStep => [
    'appeal',
    ({ state }) => {
      const notice = pick([...state.notices.values()].reverse(), nth);
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
        const appeal = pick([...state.appeals.values()].reverse(), nth % 4);
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
      const sanctionId = pick([...state.sanctions.keys()].reverse(), nth % 3);
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
      sanctionId: FIRST_SOURCE_ID + (nth % 3),
      kind: 'suspended',
      rule: 'no_spam',
      until: null,
    }),
  ]),
  fc.tuple(index, fc.constantFrom(null, 1, 48)).map(([nth, hours]): NamedStep => [
    `source ends in ${hours} h`,
    ({ now }) => ({
      type: 'AlignInheritedSanction',
      sanctionId: FIRST_SOURCE_ID + (nth % 3),
      until: hours === null ? null : new Date(now.getTime() + hours * HOUR_MS),
    }),
  ]),
  fc.constant<NamedStep>(['time limits', () => ({ type: 'ApplyTimeLimits' })]),
  fc.constantFrom(0.2, 1, 24, 25, 72, 24 * 31, 24 * 184).map((hours): NamedStep => [
    `${hours} h later`,
    (history) => {
      history.wait(hours * HOUR_MS);
      return null;
    },
  ]),
);

/** Only commands may throw, and only as refusals. */
const attempt = (history: ConductHistory, command: CommandInput | null): void => {
  if (!command) return;
  try {
    history.execute(command);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
};

const expectInvariants = ({ state, events, now }: ConductHistory, from: number): void => {
  expect([...state.cases.values()].filter((one) => one.state !== 'decided').length).toBeLessThanOrEqual(1);
  for (const event of events.slice(from)) {
    if (event.type === 'SanctionImposed')
      expect(state.notices.get(event.data.noticeId)).toMatchObject({ recipientId: ada });
    if (event.type === 'PersonFlagged') expect(state.notices.has(event.data.noticeId)).toBe(true);
    if (event.type === 'CaseDecided')
      expect(event.data.reports).toHaveLength(
        [...state.reports.values()].filter(({ caseId }) => caseId === event.data.caseId).length,
      );
  }
  const standing = events.filter(isStandingEvent).reduce(evolveStanding, createStandingState());
  expect(computeStandingAt(standing, now)).toEqual(computeStandingAt(state.standing, now));
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

/** Expects that no moderator has reviewed their own decision, unless there was no other. */
const expectSecondModerators = ({ events }: ConductHistory): void => {
  const deciderByCase = new Map<number | null, number | null>();
  const deciderByNotice = new Map<number, number | null>();
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
        if (!event.data.isAutomatic)
          deciderByNotice.set(event.data.noticeId, deciderByCase.get(event.data.caseId) ?? null);
        break;
      case 'AppealDecided':
        if (!event.data.isSolo)
          expect(event.data.moderatorId).not.toBe(deciderByNotice.get(event.data.noticeId));
        break;
      case 'SanctionConfirmed':
        if (!event.data.isSolo) expect(event.data.moderatorId).not.toBe(deciderByCase.get(event.data.caseId));
        break;
      default:
    }
  }
};

it('every history has at most one open case, a notice for each restriction, and the standing of its events', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), (steps) => {
      const history = new ConductHistory();
      for (const [, act] of steps) {
        const from = history.events.length;
        attempt(history, act(history));
        expectInvariants(history, from);
      }
      expectSecondModerators(history);
      expect(history.events.reduce(evolveConduct, createConductState())).toEqual(history.state);
      for (const { type } of history.events) seen.set(type, (seen.get(type) ?? 0) + 1);
    }),
    { numRuns: RUNS },
  );
  // The draws reach every rule.
  for (const type of [...standingTypes, 'AppealFiled', 'CaseEscalated', 'CaseClaimed', 'PersonWarned'])
    if (type !== 'HoldPlaced' && type !== 'HoldLifted')
      expect([type, seen.get(type) ?? 0]).not.toEqual([type, 0]);
});
