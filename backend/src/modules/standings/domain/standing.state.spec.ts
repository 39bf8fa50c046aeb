import type { StandingEvent } from './standing.events';
import { evolveStanding, createStandingState, computeStandingAt } from './standing.state';

const userId = 7;
/**
 * A time on the day of all events. Flags begin at hour 1 and sanctions at hour 2. Sanctions are lifted at hour 3, and
 * appeals are decided at hour 4.
 */
const toDate = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));
const formatIso = (hour: number): string => toDate(hour).toISOString();

let sequence = 0;
type DataOf<Type> = Omit<Extract<StandingEvent, { type: Type }>['data'], 'userId'>;
const createEvent = <Type extends StandingEvent['type']>(
  type: Type,
  atHour: number,
  data: DataOf<Type>,
): StandingEvent =>
  ({
    type,
    eventId: `e${(sequence += 1)}`,
    occurredAt: toDate(atHour),
    data: { userId, ...data },
  }) as unknown as StandingEvent;

const createUserFlagged = (untilHour: number) =>
  createEvent('PersonFlagged', 1, { caseId: 1, until: formatIso(untilHour), cause: 'reports', noticeId: 2 });
const getNoticeId = (sanctionId: number): number => sanctionId + 100;
/** @param untilHour null for a sanction without an end */
const createSanctionImposed = (
  sanctionId: number,
  untilHour: number | null,
  kind: 'suspended' | 'banned' = 'suspended',
) =>
  createEvent('SanctionImposed', 2, {
    sanctionId,
    noticeId: getNoticeId(sanctionId),
    kind,
    rule: 'no_hate',
    until: untilHour === null ? null : formatIso(untilHour),
    caseId: 1,
    isAutomatic: false,
    inheritedFrom: null,
  });
const createSanctionLifted = (sanctionId: number) =>
  createEvent('SanctionLifted', 3, {
    sanctionId,
    noticeId: 9,
    cause: 'appeal',
    moderatorId: 3,
    reason: null,
  });
/** @param untilHour the new end of a reduced sanction; null if the decision upholds the sanction */
const createAppealDecided = (sanctionId: number, untilHour: number | null) =>
  createEvent('AppealDecided', 4, {
    appealId: 5,
    noticeId: getNoticeId(sanctionId),
    answerNoticeId: 6,
    caseId: 1,
    moderatorId: 3,
    outcome: untilHour === null ? 'upheld' : 'reduced',
    sanctionId,
    until: untilHour === null ? null : formatIso(untilHour),
    isSolo: false,
    answer: 'A shorter time is enough.',
  });
const holdPlaced = createEvent('HoldPlaced', 1, { moderatorId: 3, reason: 'The police asked.' });
const sanctionConfirmed = createEvent('SanctionConfirmed', 2, {
  sanctionId: 1,
  caseId: 1,
  moderatorId: 3,
  isSolo: false,
});
const ageAsked = createEvent('AgeAsked', 2, { noticeId: 20, caseId: 1 });
const ageAnswered = createEvent('AgeAnswered', 3, { noticeId: 20, answer: 'adult' });

const computeStandingAtHour = (hour: number, ...events: readonly StandingEvent[]) =>
  computeStandingAt(events.reduce(evolveStanding, createStandingState()), toDate(hour));

describe('computeStandingAt', () => {
  it('the standing is good without events', () => {
    expect(computeStandingAtHour(5)).toEqual({ kind: 'good', since: null, until: null, noticeId: null });
  });

  it('the standing of a flagged user is care until the flag ends or is lifted', () => {
    expect(computeStandingAtHour(5, createUserFlagged(6))).toEqual({
      kind: 'care',
      since: formatIso(1),
      until: formatIso(6),
      noticeId: 2,
    });
    expect(computeStandingAtHour(6, createUserFlagged(6)).kind).toBe('good');
    expect(
      computeStandingAtHour(5, createUserFlagged(6), createEvent('FlagLifted', 2, { noticeId: null })).kind,
    ).toBe('good');
  });

  it('a suspension outweighs a flag until the suspension ends', () => {
    const events = [createUserFlagged(20), createSanctionImposed(1, 10)];
    expect(computeStandingAtHour(9, ...events)).toEqual({
      kind: 'suspended',
      since: formatIso(2),
      until: formatIso(10),
      noticeId: getNoticeId(1),
    });
    expect(computeStandingAtHour(10, ...events).kind).toBe('care');
  });

  it('of several sanctions, a ban counts, else one without an end, else the one with the latest end', () => {
    expect(
      computeStandingAtHour(
        5,
        createSanctionImposed(1, 10),
        createSanctionImposed(2, 12),
        createSanctionImposed(3, 11),
      ),
    ).toMatchObject({
      until: formatIso(12),
    });
    expect(
      computeStandingAtHour(
        5,
        createSanctionImposed(1, 10),
        createSanctionImposed(2, null),
        createSanctionImposed(3, 11),
      ),
    ).toMatchObject({
      until: null,
      noticeId: getNoticeId(2),
    });
    expect(
      computeStandingAtHour(
        5,
        createSanctionImposed(1, null),
        createSanctionImposed(2, null, 'banned'),
        createSanctionImposed(3, null),
      ),
    ).toMatchObject({
      kind: 'banned',
      noticeId: getNoticeId(2),
    });
  });

  it('after a sanction is lifted, the standing is that of another sanction in force, or else good', () => {
    expect(
      computeStandingAtHour(5, createSanctionImposed(1, null, 'banned'), createSanctionLifted(1)).kind,
    ).toBe('good');
    expect(
      computeStandingAtHour(
        5,
        createSanctionImposed(1, null, 'banned'),
        createSanctionImposed(2, 10),
        createSanctionLifted(1),
      ),
    ).toMatchObject({
      kind: 'suspended',
      noticeId: getNoticeId(2),
    });
  });

  it('a reduced sanction is a suspension until its new end, and an upheld sanction does not change', () => {
    expect(
      computeStandingAtHour(5, createSanctionImposed(1, null, 'banned'), createAppealDecided(1, 8)),
    ).toMatchObject({
      kind: 'suspended',
      until: formatIso(8),
    });
    expect(computeStandingAtHour(9, createSanctionImposed(1, 20), createAppealDecided(1, 8)).kind).toBe(
      'good',
    );
    expect(computeStandingAtHour(9, createSanctionImposed(1, 20), createAppealDecided(1, null)).kind).toBe(
      'suspended',
    );
  });

  it('an open age question outweighs a flag and yields to a sanction', () => {
    expect(computeStandingAtHour(5, createUserFlagged(20), ageAsked)).toEqual({
      kind: 'age_question',
      since: formatIso(2),
      until: null,
      noticeId: 20,
    });
    expect(computeStandingAtHour(5, ageAsked, createSanctionImposed(1, 10)).kind).toBe('suspended');
    expect(computeStandingAtHour(5, createUserFlagged(20), ageAsked, ageAnswered).kind).toBe('care');
  });

  it('a legal hold and the confirmation of a ban do not change the standing', () => {
    expect(computeStandingAtHour(5, holdPlaced).kind).toBe('good');
    const ban = createSanctionImposed(1, null, 'banned');
    expect(computeStandingAtHour(5, ban, sanctionConfirmed)).toEqual(computeStandingAtHour(5, ban));
  });
});

describe('evolveStanding', () => {
  it('a user is held from the placing of a legal hold until it is lifted', () => {
    const computeIsHeld = (history: readonly StandingEvent[]) =>
      history.reduce(evolveStanding, createStandingState()).isHeld;
    // An event of another kind does not end the hold.
    expect(computeIsHeld([holdPlaced, sanctionConfirmed])).toBe(true);
    const holdLifted = createEvent('HoldLifted', 3, { moderatorId: 3, reason: 'They are done.' });
    expect(computeIsHeld([holdPlaced, sanctionConfirmed, holdLifted])).toBe(false);
  });
});
