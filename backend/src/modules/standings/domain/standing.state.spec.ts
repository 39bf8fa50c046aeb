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

describe('computeStandingAt', () => {
  it('the standing is good without events', () => {
    expect(computeStanding(5)).toEqual({ kind: 'good', since: null, until: null, noticeId: null });
  });

  it('the standing is care until the flag ends or is lifted', () => {
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

  it('a suspension outweighs a flag until the suspension ends', () => {
    const events = [createFlagged(20), createImposed(1, formatIso(10))];
    expect(computeStanding(9, ...events)).toEqual({
      kind: 'suspended',
      since: formatIso(2),
      until: formatIso(10),
      noticeId: 101,
    });
    expect(computeStanding(10, ...events).kind).toBe('care');
  });

  it('the gravest of several sanctions is a ban, else one without an end, else the one with the latest end', () => {
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

  it('lifting a sanction leaves a good standing, or the other sanction if there is one', () => {
    expect(computeStanding(5, createImposed(1, null, 'banned'), createLifted(1)).kind).toBe('good');
    expect(
      computeStanding(5, createImposed(1, null, 'banned'), createImposed(2, formatIso(10)), createLifted(1)),
    ).toMatchObject({
      kind: 'suspended',
      noticeId: 102,
    });
  });

  it('an appeal that reduces a suspension or a ban leaves a suspension with the new end', () => {
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

  it('an open age question outweighs a flag and yields to a sanction', () => {
    expect(computeStanding(5, createFlagged(20), asked)).toEqual({
      kind: 'age_question',
      since: formatIso(2),
      until: null,
      noticeId: 20,
    });
    expect(computeStanding(5, asked, createImposed(1, formatIso(10))).kind).toBe('suspended');
    expect(computeStanding(5, createFlagged(20), asked, answered).kind).toBe('care');
  });

  it('a legal hold and the confirmation of a ban do not change the standing', () => {
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
