import type { ConductEvent } from './conduct.events';
import { computeExpiryTimes } from './evidence-retention.rules';

const DAY_MS = 24 * 60 * 60_000;
const START = Date.UTC(2026, 10, 20, 12);
const APPEAL_DAYS = 183;
/** Evidence is kept for at least 72 hours after a dismissal. */
const EVIDENCE_MIN_DAYS = 3;
/** A legal hold of a moderator keeps all data for at least a year. The policy cannot change this period. */
const HOLD_DAYS = 365;
const policy = { evidenceMinKeptMs: EVIDENCE_MIN_DAYS * DAY_MS, appealWithinMs: APPEAL_DAYS * DAY_MS };
const REPORTED_USER_ID = 9;
const REPORTER_ID = 7;
const MODERATOR_ID = 3;
const OTHER_MODERATOR_ID = 4;
const SANCTION_ID = 5;
const SANCTION_NOTICE_ID = 6;
const APPEAL_ID = 10;

/** @param day the number of days after `START`. */
const toDate = (day: number): Date => new Date(START + day * DAY_MS);

/** Creates an event on a day. The id of the event consists of its type and the day. */
const createEvent = <Type extends ConductEvent['type']>(
  day: number,
  type: Type,
  data: Omit<Extract<ConductEvent, { type: Type }>['data'], 'userId'>,
): ConductEvent =>
  ({
    type,
    eventId: `${type} ${day}`,
    occurredAt: toDate(day),
    data: { userId: REPORTED_USER_ID, ...data },
  }) as unknown as ConductEvent;

type Outcome = 'dismissed' | 'warned' | 'suspended' | 'banned';

const createCaseOpened = (day = 0, caseId = 1) => createEvent(day, 'CaseOpened', { caseId, kind: 'reports' });
const createReportFiled = (day = 0, caseId = 1) =>
  createEvent(day, 'ReportFiled', {
    reportId: 2,
    caseId,
    reporterId: REPORTER_ID,
    countsAs: REPORTER_ID,
    weight: 1,
    category: 'sexual',
    context: { where: 'random_chat', sessionId: 's1', at: toDate(0).toISOString() },
    evidenceHash: '',
    words: null,
    evidence: '',
  });
const createCaseNoted = (day: number) =>
  createEvent(day, 'CaseNoted', { caseId: 1, moderatorId: MODERATOR_ID, text: 'x' });
const createCaseDecided = (day: number, outcome: Outcome) =>
  createEvent(day, 'CaseDecided', {
    caseId: 1,
    moderatorId: MODERATOR_ID,
    outcome,
    rule: 'no_hate',
    reports: [],
    facts: null,
    note: null,
  });
/** Creates a suspension, or a ban if `endDay` is null. */
const createSanctionImposed = (day: number, { endDay }: { endDay: number | null }) =>
  createEvent(day, 'SanctionImposed', {
    sanctionId: SANCTION_ID,
    noticeId: SANCTION_NOTICE_ID,
    kind: endDay === null ? 'banned' : 'suspended',
    rule: 'no_hate',
    until: endDay === null ? null : toDate(endDay).toISOString(),
    caseId: 1,
    isAutomatic: false,
    inheritedFrom: null,
  });
const createSanctionLifted = (day: number) =>
  createEvent(day, 'SanctionLifted', {
    sanctionId: SANCTION_ID,
    noticeId: 8,
    cause: 'moderator',
    moderatorId: MODERATOR_ID,
    reason: null,
  });
const createAppealFiled = (day: number) =>
  createEvent(day, 'AppealFiled', {
    appealId: APPEAL_ID,
    noticeId: SANCTION_NOTICE_ID,
    caseId: 1,
    appellantId: REPORTED_USER_ID,
    words: 'x',
  });
/** Creates a reduction of the sanction, which then ends on `newEndDay`. Without a new end, upholds the decision. */
const createAppealDecided = (day: number, { newEndDay = null }: { newEndDay?: number | null } = {}) =>
  createEvent(day, 'AppealDecided', {
    appealId: APPEAL_ID,
    noticeId: SANCTION_NOTICE_ID,
    answerNoticeId: 11,
    caseId: 1,
    moderatorId: OTHER_MODERATOR_ID,
    outcome: newEndDay === null ? 'upheld' : 'reduced',
    sanctionId: newEndDay === null ? null : SANCTION_ID,
    until: newEndDay === null ? null : toDate(newEndDay).toISOString(),
    isSolo: false,
    answer: 'x',
  });
const createHoldPlaced = (day: number) =>
  createEvent(day, 'HoldPlaced', { moderatorId: MODERATOR_ID, reason: 'x' });
const createHoldLifted = (day: number) =>
  createEvent(day, 'HoldLifted', { moderatorId: MODERATOR_ID, reason: 'x' });

/** Creates the events of a case that is opened and reported on day 0. */
const createDecidedCase = (decisionDay: number, outcome: Outcome) => [
  createCaseOpened(),
  createReportFiled(),
  createCaseDecided(decisionDay, outcome),
];

/** The day on which the personal data of each event expires, by event id; null while it is kept. */
const computeExpiryDays = (
  events: ConductEvent[],
  chatEnds: Record<string, Date> = { s1: toDate(0) },
): Record<string, number | null> =>
  Object.fromEntries(
    [...computeExpiryTimes(events, new Map(Object.entries(chatEnds)), policy)].map(([eventId, expiresAt]) => [
      eventId,
      expiresAt && (expiresAt.getTime() - START) / DAY_MS,
    ]),
  );

/** The day on which the evidence of the report of day 0 expires; null while it is kept. */
const computeEvidenceExpiryDay = (...parameters: Parameters<typeof computeExpiryDays>) =>
  computeExpiryDays(...parameters)['ReportFiled 0'];

describe('the evidence of a case', () => {
  it('is kept together with the notes while the case is open', () => {
    expect(computeExpiryDays([createCaseOpened(), createReportFiled(), createCaseNoted(1)])).toEqual({
      'ReportFiled 0': null,
      'CaseNoted 1': null,
    });
  });

  it('expires 72 hours after a dismissal, together with the notes', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseNoted(1),
      createCaseDecided(2, 'dismissed'),
    ];
    expect(computeExpiryDays(events)).toEqual({
      'ReportFiled 0': 2 + EVIDENCE_MIN_DAYS,
      'CaseNoted 1': 2 + EVIDENCE_MIN_DAYS,
      'CaseDecided 2': 2 + EVIDENCE_MIN_DAYS,
    });
  });

  it('expires 72 hours after the end of a reported chat that ended after the dismissal', () => {
    const events = createDecidedCase(2, 'dismissed');
    expect(computeEvidenceExpiryDay(events, { s1: toDate(4) })).toBe(4 + EVIDENCE_MIN_DAYS);
  });

  it('expires 72 hours after the dismissal if the reported chat has not ended', () => {
    // When the chat ends, the expiry is computed again.
    const events = createDecidedCase(2, 'dismissed');
    expect(computeEvidenceExpiryDay(events, { anotherChat: toDate(4) })).toBe(2 + EVIDENCE_MIN_DAYS);
  });

  it('is kept by an appeal that is filed before its expiry, until 72 hours after the answer', () => {
    const events = [...createDecidedCase(2, 'dismissed'), createAppealFiled(4)];
    expect(computeEvidenceExpiryDay(events)).toBeNull();
    expect(computeEvidenceExpiryDay([...events, createAppealDecided(10)])).toBe(10 + EVIDENCE_MIN_DAYS);
  });

  it('is not kept by an appeal that is filed after its expiry', () => {
    const events = [...createDecidedCase(2, 'dismissed'), createAppealFiled(6)];
    expect(computeEvidenceExpiryDay(events)).toBe(2 + EVIDENCE_MIN_DAYS);
    expect(computeEvidenceExpiryDay([...events, createAppealDecided(10)])).toBe(2 + EVIDENCE_MIN_DAYS);
  });

  it('is kept while the case is open again after an appeal', () => {
    // Only `CaseOpened` opens the case again; the outcome of the appeal does not matter here.
    const events = [
      ...createDecidedCase(2, 'dismissed'),
      createAppealFiled(3),
      createAppealDecided(4),
      createCaseOpened(4),
    ];
    expect(computeEvidenceExpiryDay(events)).toBeNull();
    expect(computeEvidenceExpiryDay([...events, createCaseDecided(6, 'warned')])).toBe(6 + APPEAL_DAYS);
  });

  it.each(['warned', 'suspended', 'banned'] as const)(
    'expires 183 days after a decision with the outcome %s',
    (outcome) => {
      expect(computeEvidenceExpiryDay(createDecidedCase(2, outcome))).toBe(2 + APPEAL_DAYS);
    },
  );

  it('is kept until an appeal is decided, and for at least 183 days', () => {
    const events = [...createDecidedCase(2, 'warned'), createAppealFiled(180)];
    expect(computeEvidenceExpiryDay(events)).toBeNull();
    expect(computeEvidenceExpiryDay([...events, createAppealDecided(200)])).toBe(200);
    expect(computeEvidenceExpiryDay([...events, createAppealDecided(181)])).toBe(2 + APPEAL_DAYS);
  });

  it('does not depend on other cases of the same user', () => {
    const events = [...createDecidedCase(2, 'dismissed'), createCaseOpened(3, 20), createReportFiled(3, 20)];
    expect(computeExpiryDays(events)).toMatchObject({
      'ReportFiled 0': 2 + EVIDENCE_MIN_DAYS,
      'ReportFiled 3': null,
    });
  });
});

// A moderator states the facts of a decision, the user appeals, and a moderator answers the appeal.
describe('facts, appeals and answers', () => {
  const suspensionEvents = [...createDecidedCase(2, 'suspended'), createSanctionImposed(2, { endDay: 9 })];

  it('expire 183 days after the end of the sanction', () => {
    expect(computeExpiryDays(suspensionEvents)['CaseDecided 2']).toBe(9 + APPEAL_DAYS);
    const appealed = [...suspensionEvents, createAppealFiled(3), createAppealDecided(4)];
    expect(computeExpiryDays(appealed)).toMatchObject({
      'CaseDecided 2': 9 + APPEAL_DAYS,
      'AppealFiled 3': 9 + APPEAL_DAYS,
      'AppealDecided 4': 9 + APPEAL_DAYS,
    });
  });

  it('expire 183 days after the new end of a suspension that an appeal has reduced', () => {
    const reduced = [...suspensionEvents, createAppealFiled(3), createAppealDecided(4, { newEndDay: 5 })];
    expect(computeExpiryDays(reduced)['CaseDecided 2']).toBe(5 + APPEAL_DAYS);
  });

  it('expire 183 days after a moderator has lifted the suspension', () => {
    const lifted = [...suspensionEvents, createSanctionLifted(6)];
    expect(computeExpiryDays(lifted)['CaseDecided 2']).toBe(6 + APPEAL_DAYS);
  });

  it('are kept while an appeal is open', () => {
    expect(computeExpiryDays([...suspensionEvents, createAppealFiled(3)])['CaseDecided 2']).toBeNull();
  });

  it('are kept as long as a ban is in force', () => {
    const banEvents = [...createDecidedCase(2, 'banned'), createSanctionImposed(2, { endDay: null })];
    expect(computeExpiryDays(banEvents)).toEqual({ 'ReportFiled 0': 2 + APPEAL_DAYS, 'CaseDecided 2': null });
    expect(computeExpiryDays([...banEvents, createSanctionLifted(400)])['CaseDecided 2']).toBe(
      400 + APPEAL_DAYS,
    );
  });

  it('expire 183 days after the decision when it is a warning', () => {
    expect(computeExpiryDays(createDecidedCase(2, 'warned'))['CaseDecided 2']).toBe(2 + APPEAL_DAYS);
  });
});

describe('a legal hold', () => {
  const heldEvents = [...createDecidedCase(2, 'dismissed'), createHoldPlaced(3)];

  it('keeps all data while it is in force', () => {
    expect(computeExpiryDays(heldEvents)).toEqual({
      'ReportFiled 0': null,
      'CaseDecided 2': null,
      'HoldPlaced 3': null,
    });
  });

  it('keeps all data for at least 365 days, even if it is lifted earlier', () => {
    expect(computeExpiryDays([...heldEvents, createHoldLifted(10)])).toEqual({
      'ReportFiled 0': 3 + HOLD_DAYS,
      'CaseDecided 2': 3 + HOLD_DAYS,
      'HoldPlaced 3': 3 + HOLD_DAYS,
      'HoldLifted 10': 3 + HOLD_DAYS,
    });
  });

  it('keeps all data until it is lifted, and the reason for lifting it for another 183 days', () => {
    expect(computeExpiryDays([...heldEvents, createHoldLifted(500)])).toMatchObject({
      'ReportFiled 0': 500,
      'HoldLifted 500': 500 + APPEAL_DAYS, // this event records the reason
    });
  });

  it('does not keep data that is recorded after it was lifted', () => {
    const events = [
      createHoldPlaced(0),
      createHoldLifted(1),
      createCaseOpened(2),
      createReportFiled(2),
      createCaseDecided(3, 'dismissed'),
    ];
    expect(computeExpiryDays(events)['ReportFiled 2']).toBe(3 + EVIDENCE_MIN_DAYS);
  });
});
