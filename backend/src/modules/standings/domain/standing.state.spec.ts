import type { StandingEvent } from './standing.events';
import { evolveStanding, createStandingState, computeStandingAt } from './standing.state';

const userId = 7;
const toDate = (hours: number): Date => new Date(Date.UTC(2026, 10, 20, hours));
const formatIso = (hours: number): string => toDate(hours).toISOString();

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

const createFlagged = (untilHour: number) =>
  createEvent('PersonFlagged', 1, { caseId: 1, until: formatIso(untilHour), cause: 'reports', noticeId: 2 });
const createImposed = (
  sanctionId: number,
  until: string | null,
  kind: 'suspended' | 'banned' = 'suspended',
) =>
  createEvent('SanctionImposed', 2, {
    sanctionId,
    noticeId: sanctionId + 100,
    kind,
    rule: 'no_hate',
    until,
    caseId: 1,
    isAutomatic: false,
    inheritedFrom: null,
  });
const createLifted = (sanctionId: number) =>
  createEvent('SanctionLifted', 3, {
    sanctionId,
    noticeId: 9,
    cause: 'appeal',
    moderatorId: 3,
    reason: null,
  });
const createReduced = (sanctionId: number, until: string | null) =>
  createEvent('AppealDecided', 4, {
    appealId: 5,
    noticeId: sanctionId + 100,
    answerNoticeId: 6,
    caseId: 1,
    moderatorId: 3,
    outcome: 'reduced',
    sanctionId,
    until,
    isSolo: false,
    answer: 'A shorter time is enough.',
  });
const asked = createEvent('AgeAsked', 2, { noticeId: 20, caseId: 1 });
const answered = createEvent('AgeAnswered', 3, { noticeId: 20, answer: 'adult' });

const computeStanding = (atHour: number, ...events: readonly StandingEvent[]) =>
  computeStandingAt(events.reduce(evolveStanding, createStandingState()), toDate(atHour));

describe('the standing of a user', () => {
  it('is good without events', () => {
    expect(computeStanding(5)).toEqual({ kind: 'good', since: null, until: null, noticeId: null });
  });

  it('is a flag until it ends or is lifted', () => {
    expect(computeStanding(5, createFlagged(6))).toEqual({
      kind: 'care',
      since: formatIso(1),
      until: formatIso(6),
      noticeId: 2,
    });
    expect(computeStanding(6, createFlagged(6)).kind).toBe('good');
    expect(computeStanding(5, createFlagged(6), createEvent('FlagLifted', 2, { noticeId: null })).kind).toBe(
      'good',
    );
  });

  it('is a suspension until it ends, and then the flag again', () => {
    const events = [createFlagged(20), createImposed(1, formatIso(10))];
    expect(computeStanding(9, ...events)).toEqual({
      kind: 'suspended',
      since: formatIso(2),
      until: formatIso(10),
      noticeId: 101,
    });
    expect(computeStanding(10, ...events).kind).toBe('care');
  });

  it('is the gravest of several sanctions: a ban, the one without an end, the latest end', () => {
    expect(
      computeStanding(
        5,
        createImposed(1, formatIso(10)),
        createImposed(2, formatIso(12)),
        createImposed(3, formatIso(11)),
      ),
    ).toMatchObject({
      until: formatIso(12),
    });
    expect(
      computeStanding(
        5,
        createImposed(1, formatIso(10)),
        createImposed(2, null),
        createImposed(3, formatIso(11)),
      ),
    ).toMatchObject({
      until: null,
      noticeId: 102,
    });
    expect(
      computeStanding(5, createImposed(1, null), createImposed(2, null, 'banned'), createImposed(3, null)),
    ).toMatchObject({
      kind: 'banned',
      noticeId: 102,
    });
  });

  it('is good again when the only sanction is lifted, and the other sanction when there are two', () => {
    expect(computeStanding(5, createImposed(1, null, 'banned'), createLifted(1)).kind).toBe('good');
    expect(
      computeStanding(5, createImposed(1, null, 'banned'), createImposed(2, formatIso(10)), createLifted(1)),
    ).toMatchObject({
      kind: 'suspended',
      noticeId: 102,
    });
  });

  it('is a suspension with the new end when an appeal reduces a sanction, also a ban', () => {
    expect(
      computeStanding(5, createImposed(1, null, 'banned'), createReduced(1, formatIso(8))),
    ).toMatchObject({
      kind: 'suspended',
      until: formatIso(8),
    });
    expect(computeStanding(9, createImposed(1, formatIso(20)), createReduced(1, formatIso(8))).kind).toBe(
      'good',
    );
    expect(computeStanding(9, createImposed(1, formatIso(20)), createReduced(1, null)).kind).toBe(
      'suspended',
    );
  });

  it('is an open age question, which outweighs a flag and yields to a sanction', () => {
    expect(computeStanding(5, createFlagged(20), asked)).toEqual({
      kind: 'age_question',
      since: formatIso(2),
      until: null,
      noticeId: 20,
    });
    expect(computeStanding(5, asked, createImposed(1, formatIso(10))).kind).toBe('suspended');
    expect(computeStanding(5, createFlagged(20), asked, answered).kind).toBe('care');
  });

  it('does not depend on a hold or on the confirmation of a ban', () => {
    const events = [
      createEvent('HoldPlaced', 1, { moderatorId: 3, reason: 'The police asked.' }),
      createEvent('SanctionConfirmed', 2, { sanctionId: 1, caseId: 1, moderatorId: 3, isSolo: false }),
    ];
    expect(computeStanding(5, ...events).kind).toBe('good');
    expect(events.reduce(evolveStanding, createStandingState()).isHeld).toBe(true);
    const released = createEvent('HoldLifted', 3, { moderatorId: 3, reason: 'They are done.' });
    expect([...events, released].reduce(evolveStanding, createStandingState()).isHeld).toBe(false);
  });
});
