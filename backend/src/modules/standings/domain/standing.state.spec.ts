import type { StandingEvent } from './standing.events';
import { evolveStanding, createStandingState, computeStandingAt } from './standing.state';

const userId = 7;

/** The hours at which events happen, all on one day. */
const HOURS = { flag: 1, hold: 1, sanction: 2, question: 2, lifting: 3, answer: 3, appeal: 4 } as const;
/** An hour after all events. */
const NOW = 5;

const toDate = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));
const formatIso = (hour: number): string => toDate(hour).toISOString();

let eventCount = 0;
type DataOf<Type> = Omit<Extract<StandingEvent, { type: Type }>['data'], 'userId'>;
const createEvent = <Type extends StandingEvent['type']>(
  type: Type,
  hour: number,
  data: DataOf<Type>,
): StandingEvent => {
  eventCount += 1;
  const event = { type, eventId: `e${eventCount}`, occurredAt: toDate(hour), data: { userId, ...data } };
  return event as unknown as StandingEvent; // `DataOf` ensures that the data fit the type
};

const createUserFlagged = (untilHour: number) =>
  createEvent('PersonFlagged', HOURS.flag, {
    caseId: 1,
    until: formatIso(untilHour),
    cause: 'reports',
    noticeId: 2,
  });

const getNoticeId = (sanctionId: number): number => sanctionId + 100;
const createSanctionImposed = (sanctionId: number, kind: 'suspended' | 'banned', until: string | null) =>
  createEvent('SanctionImposed', HOURS.sanction, {
    sanctionId,
    noticeId: getNoticeId(sanctionId),
    kind,
    rule: 'no_hate',
    until,
    caseId: 1,
    isAutomatic: false,
    inheritedFrom: null,
  });
const createBan = (sanctionId: number) => createSanctionImposed(sanctionId, 'banned', null);
const createSuspension = (sanctionId: number, { untilHour }: { untilHour: number }) =>
  createSanctionImposed(sanctionId, 'suspended', formatIso(untilHour));
const createEndlessSuspension = (sanctionId: number) => createSanctionImposed(sanctionId, 'suspended', null);

const createSanctionLifted = (sanctionId: number) =>
  createEvent('SanctionLifted', HOURS.lifting, {
    sanctionId,
    noticeId: 9,
    cause: 'appeal',
    moderatorId: 3,
    reason: null,
  });

const createAppealDecided = (sanctionId: number, outcome: 'upheld' | 'reduced', until: string | null) =>
  createEvent('AppealDecided', HOURS.appeal, {
    appealId: 5,
    noticeId: getNoticeId(sanctionId),
    answerNoticeId: 6,
    caseId: 1,
    moderatorId: 3,
    outcome,
    sanctionId,
    until,
    isSolo: false,
    answer: 'We have read your appeal.',
  });
const createSanctionUpheld = (sanctionId: number) => createAppealDecided(sanctionId, 'upheld', null);
const createSanctionReduced = (sanctionId: number, { untilHour }: { untilHour: number }) =>
  createAppealDecided(sanctionId, 'reduced', formatIso(untilHour));

const holdPlaced = createEvent('HoldPlaced', HOURS.hold, { moderatorId: 3, reason: 'The police asked.' });
const holdLifted = createEvent('HoldLifted', HOURS.lifting, { moderatorId: 3, reason: 'They are done.' });
const sanctionConfirmed = createEvent('SanctionConfirmed', HOURS.sanction, {
  sanctionId: 1,
  caseId: 1,
  moderatorId: 3,
  isSolo: false,
});
const ageAsked = createEvent('AgeAsked', HOURS.question, { noticeId: 20, caseId: 1 });
const ageAnswered = createEvent('AgeAnswered', HOURS.answer, { noticeId: 20, answer: 'adult' });

const fold = (events: readonly StandingEvent[]) => events.reduce(evolveStanding, createStandingState());
const computeStandingAtHour = (hour: number, ...events: readonly StandingEvent[]) =>
  computeStandingAt(fold(events), toDate(hour));

describe('the standing of a user', () => {
  it('is good without events', () => {
    expect(computeStandingAtHour(NOW)).toEqual({ kind: 'good', since: null, until: null, noticeId: null });
  });

  it('is care until the end of a flag', () => {
    const flag = createUserFlagged(6);
    expect(computeStandingAtHour(5, flag)).toEqual({
      kind: 'care',
      since: formatIso(HOURS.flag),
      until: formatIso(6),
      noticeId: 2,
    });
    expect(computeStandingAtHour(6, flag).kind).toBe('good');
  });

  it('is good after a flag was lifted', () => {
    const flagLifted = createEvent('FlagLifted', HOURS.lifting, { noticeId: null });
    expect(computeStandingAtHour(NOW, createUserFlagged(6), flagLifted).kind).toBe('good');
  });

  it('is that of a suspension until its end, and only then that of a flag', () => {
    const events = [createUserFlagged(20), createSuspension(1, { untilHour: 10 })];
    expect(computeStandingAtHour(9, ...events)).toEqual({
      kind: 'suspended',
      since: formatIso(HOURS.sanction),
      until: formatIso(10),
      noticeId: getNoticeId(1),
    });
    expect(computeStandingAtHour(10, ...events).kind).toBe('care');
  });

  it('is that of the suspension with the latest end', () => {
    const standing = computeStandingAtHour(
      NOW,
      createSuspension(1, { untilHour: 10 }),
      createSuspension(2, { untilHour: 12 }),
      createSuspension(3, { untilHour: 11 }),
    );
    expect(standing).toMatchObject({ until: formatIso(12) });
  });

  it('is that of a suspension without an end rather than of one with an end', () => {
    const standing = computeStandingAtHour(
      NOW,
      createSuspension(1, { untilHour: 10 }),
      createEndlessSuspension(2),
      createSuspension(3, { untilHour: 11 }),
    );
    expect(standing).toMatchObject({ until: null, noticeId: getNoticeId(2) });
  });

  it('is that of a ban rather than of a suspension without an end', () => {
    const standing = computeStandingAtHour(
      NOW,
      createEndlessSuspension(1),
      createBan(2),
      createEndlessSuspension(3),
    );
    expect(standing).toMatchObject({ kind: 'banned', noticeId: getNoticeId(2) });
  });

  it('is good after the only sanction was lifted', () => {
    expect(computeStandingAtHour(NOW, createBan(1), createSanctionLifted(1)).kind).toBe('good');
  });

  it('is that of the other sanction after one of two was lifted', () => {
    const standing = computeStandingAtHour(
      NOW,
      createBan(1),
      createSuspension(2, { untilHour: 10 }),
      createSanctionLifted(1),
    );
    expect(standing).toMatchObject({ kind: 'suspended', noticeId: getNoticeId(2) });
  });

  it('is suspended until the new end after an appeal has reduced a ban', () => {
    const standing = computeStandingAtHour(NOW, createBan(1), createSanctionReduced(1, { untilHour: 8 }));
    expect(standing).toMatchObject({ kind: 'suspended', until: formatIso(8) });
  });

  it('is good after the new end of a suspension that an appeal has reduced', () => {
    const suspension = createSuspension(1, { untilHour: 20 });
    const reduced = createSanctionReduced(1, { untilHour: 8 });
    expect(computeStandingAtHour(9, suspension, reduced).kind).toBe('good');
  });

  it('is still suspended after an appeal has upheld the suspension', () => {
    const suspension = createSuspension(1, { untilHour: 20 });
    expect(computeStandingAtHour(9, suspension, createSanctionUpheld(1)).kind).toBe('suspended');
  });

  it('is that of an age question rather than of a flag until the question is answered', () => {
    const events = [createUserFlagged(20), ageAsked];
    expect(computeStandingAtHour(NOW, ...events)).toEqual({
      kind: 'age_question',
      since: formatIso(HOURS.question),
      until: null,
      noticeId: 20,
    });
    expect(computeStandingAtHour(NOW, ...events, ageAnswered).kind).toBe('care');
  });

  it('is that of a sanction rather than of an age question', () => {
    const suspension = createSuspension(1, { untilHour: 10 });
    expect(computeStandingAtHour(NOW, ageAsked, suspension).kind).toBe('suspended');
  });

  it('does not depend on a legal hold', () => {
    expect(computeStandingAtHour(NOW, holdPlaced).kind).toBe('good');
  });

  it('does not depend on the confirmation of a ban', () => {
    const ban = createBan(1);
    expect(computeStandingAtHour(NOW, ban, sanctionConfirmed)).toEqual(computeStandingAtHour(NOW, ban));
  });
});

describe('a legal hold', () => {
  it('lasts until it is lifted', () => {
    expect(fold([holdPlaced]).isHeld).toBe(true);
    expect(fold([holdPlaced, holdLifted]).isHeld).toBe(false);
  });

  it('is not ended by other events', () => {
    expect(fold([holdPlaced, sanctionConfirmed]).isHeld).toBe(true);
  });
});
