import type { StandingEvent } from './standing.events';
import { evolveStanding, createStandingState, computeStandingAt } from './standing.state';

const userId = 7;
const hour = (hours: number): Date => new Date(Date.UTC(2026, 10, 20, hours));
const iso = (hours: number): string => hour(hours).toISOString();

let sequence = 0;
type DataOf<Type> = Omit<Extract<StandingEvent, { type: Type }>['data'], 'userId'>;
const event = <Type extends StandingEvent['type']>(
  type: Type,
  atHour: number,
  data: DataOf<Type>,
): StandingEvent =>
  ({
    type,
    eventId: `e${(sequence += 1)}`,
    occurredAt: hour(atHour),
    data: { userId, ...data },
  }) as unknown as StandingEvent;

const flagged = (untilHour: number) =>
  event('PersonFlagged', 1, { caseId: 1, until: iso(untilHour), cause: 'reports', noticeId: 2 });
const imposed = (sanctionId: number, until: string | null, kind: 'suspended' | 'banned' = 'suspended') =>
  event('SanctionImposed', 2, {
    sanctionId,
    noticeId: sanctionId + 100,
    kind,
    rule: 'no_hate',
    until,
    caseId: 1,
    isAutomatic: false,
    inheritedFrom: null,
  });
const lifted = (sanctionId: number) =>
  event('SanctionLifted', 3, { sanctionId, noticeId: 9, cause: 'appeal', moderatorId: 3, reason: null });
const reduced = (sanctionId: number, until: string | null) =>
  event('AppealDecided', 4, {
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
const asked = event('AgeAsked', 2, { noticeId: 20, caseId: 1 });
const answered = event('AgeAnswered', 3, { noticeId: 20, answer: 'adult' });

const standing = (atHour: number, ...events: readonly StandingEvent[]) =>
  computeStandingAt(events.reduce(evolveStanding, createStandingState()), hour(atHour));

describe('the standing of a user', () => {
  it('is good without events', () => {
    expect(standing(5)).toEqual({ kind: 'good', since: null, until: null, noticeId: null });
  });

  it('is a flag until it ends or is lifted', () => {
    expect(standing(5, flagged(6))).toEqual({ kind: 'care', since: iso(1), until: iso(6), noticeId: 2 });
    expect(standing(6, flagged(6)).kind).toBe('good');
    expect(standing(5, flagged(6), event('FlagLifted', 2, { noticeId: null })).kind).toBe('good');
  });

  it('is a suspension until it ends, and then the flag again', () => {
    const events = [flagged(20), imposed(1, iso(10))];
    expect(standing(9, ...events)).toEqual({
      kind: 'suspended',
      since: iso(2),
      until: iso(10),
      noticeId: 101,
    });
    expect(standing(10, ...events).kind).toBe('care');
  });

  it('is the gravest of several sanctions: a ban, the one without an end, the latest end', () => {
    expect(standing(5, imposed(1, iso(10)), imposed(2, iso(12)), imposed(3, iso(11)))).toMatchObject({
      until: iso(12),
    });
    expect(standing(5, imposed(1, iso(10)), imposed(2, null), imposed(3, iso(11)))).toMatchObject({
      until: null,
      noticeId: 102,
    });
    expect(standing(5, imposed(1, null), imposed(2, null, 'banned'), imposed(3, null))).toMatchObject({
      kind: 'banned',
      noticeId: 102,
    });
  });

  it('is good again when the only sanction is lifted, and the other sanction when there are two', () => {
    expect(standing(5, imposed(1, null, 'banned'), lifted(1)).kind).toBe('good');
    expect(standing(5, imposed(1, null, 'banned'), imposed(2, iso(10)), lifted(1))).toMatchObject({
      kind: 'suspended',
      noticeId: 102,
    });
  });

  it('is a suspension with the new end when an appeal reduces a sanction, also a ban', () => {
    expect(standing(5, imposed(1, null, 'banned'), reduced(1, iso(8)))).toMatchObject({
      kind: 'suspended',
      until: iso(8),
    });
    expect(standing(9, imposed(1, iso(20)), reduced(1, iso(8))).kind).toBe('good');
    expect(standing(9, imposed(1, iso(20)), reduced(1, null)).kind).toBe('suspended');
  });

  it('is an open age question, which outweighs a flag and yields to a sanction', () => {
    expect(standing(5, flagged(20), asked)).toEqual({
      kind: 'age_question',
      since: iso(2),
      until: null,
      noticeId: 20,
    });
    expect(standing(5, asked, imposed(1, iso(10))).kind).toBe('suspended');
    expect(standing(5, flagged(20), asked, answered).kind).toBe('care');
  });

  it('does not depend on a hold or on the confirmation of a ban', () => {
    const events = [
      event('HoldPlaced', 1, { moderatorId: 3, reason: 'The police asked.' }),
      event('SanctionConfirmed', 2, { sanctionId: 1, caseId: 1, moderatorId: 3, isSolo: false }),
    ];
    expect(standing(5, ...events).kind).toBe('good');
    expect(events.reduce(evolveStanding, createStandingState()).isHeld).toBe(true);
    const released = event('HoldLifted', 3, { moderatorId: 3, reason: 'They are done.' });
    expect([...events, released].reduce(evolveStanding, createStandingState()).isHeld).toBe(false);
  });
});
