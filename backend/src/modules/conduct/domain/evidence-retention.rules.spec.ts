import type { ConductEvent } from './conduct.events';
import { computeExpiryTimes } from './evidence-retention.rules';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 20, 12);
const APPEAL_DAYS = 183;
const policy = { evidenceMinKeptMs: 72 * HOUR_MS, appealWithinMs: APPEAL_DAYS * DAY_MS };
const [bob, ada, moderator] = [9, 7, 3];

const getDay = (days: number): Date => new Date(START + days * DAY_MS);

/** An event on a day, whose id is its type and the day. */
const createEvent = <Type extends ConductEvent['type']>(
  days: number,
  type: Type,
  data: Omit<Extract<ConductEvent, { type: Type }>['data'], 'userId'>,
): ConductEvent =>
  ({
    type,
    eventId: `${type} ${days}`,
    occurredAt: getDay(days),
    data: { userId: bob, ...data },
  }) as unknown as ConductEvent;

const createCaseOpened = (days = 0, caseId = 1) =>
  createEvent(days, 'CaseOpened', { caseId, kind: 'reports' });
const createReportFiled = (days = 0, caseId = 1) =>
  createEvent(days, 'ReportFiled', {
    reportId: 2,
    caseId,
    reporterId: ada,
    countsAs: ada,
    weight: 1,
    category: 'sexual',
    context: { where: 'random_chat', sessionId: 's1', at: getDay(0).toISOString() },
    evidenceHash: '',
    words: null,
    evidence: '',
  });
const createCaseNoted = (days: number) =>
  createEvent(days, 'CaseNoted', { caseId: 1, moderatorId: moderator, text: 'x' });
const createCaseDecided = (days: number, outcome: 'dismissed' | 'warned' | 'suspended' | 'banned') =>
  createEvent(days, 'CaseDecided', {
    caseId: 1,
    moderatorId: moderator,
    outcome,
    rule: 'no_hate',
    reports: [],
    facts: null,
    note: null,
  });
const createSanctionImposed = (days: number, until: number | null, sanctionId = 5) =>
  createEvent(days, 'SanctionImposed', {
    sanctionId,
    noticeId: 6,
    kind: until === null ? 'banned' : 'suspended',
    rule: 'no_hate',
    until: until === null ? null : getDay(until).toISOString(),
    caseId: 1,
    isAutomatic: false,
    inheritedFrom: null,
  });
const createSanctionLifted = (days: number) =>
  createEvent(days, 'SanctionLifted', {
    sanctionId: 5,
    noticeId: 8,
    cause: 'moderator',
    moderatorId: moderator,
  } as never);
const createAppealFiled = (days: number) =>
  createEvent(days, 'AppealFiled', { appealId: 10, noticeId: 6, caseId: 1, appellantId: bob, words: 'x' });
const createAppealDecided = (days: number, until: number | null = null) =>
  createEvent(days, 'AppealDecided', {
    appealId: 10,
    noticeId: 6,
    answerNoticeId: 11,
    caseId: 1,
    moderatorId: 4,
    outcome: until === null ? 'upheld' : 'reduced',
    sanctionId: until === null ? null : 5,
    until: until === null ? null : getDay(until).toISOString(),
    isSolo: false,
    answer: 'x',
  });
const createHoldPlaced = (days: number) =>
  createEvent(days, 'HoldPlaced', { moderatorId: moderator, reason: 'x' });
const createHoldLifted = (days: number) =>
  createEvent(days, 'HoldLifted', { moderatorId: moderator, reason: 'x' });

/** Days after which the data of each event expires; null: it is kept. */
const computeExpiryDays = (
  events: ConductEvent[],
  chatEnds: Record<string, Date> = { s1: getDay(0) },
): Record<string, number | null> =>
  Object.fromEntries(
    [...computeExpiryTimes(events, new Map(Object.entries(chatEnds)), policy)].map(([id, at]) => [
      id,
      at && (at.getTime() - START) / DAY_MS,
    ]),
  );

describe('the evidence of a case', () => {
  it('is kept while the case is open, and with it the notes', () => {
    expect(computeExpiryDays([createCaseOpened(), createReportFiled(), createCaseNoted(1)])).toEqual({
      'ReportFiled 0': null,
      'CaseNoted 1': null,
    });
  });

  it('expires 72 hours after a dismissal', () => {
    expect(
      computeExpiryDays([
        createCaseOpened(),
        createReportFiled(),
        createCaseNoted(1),
        createCaseDecided(2, 'dismissed'),
      ]),
    ).toEqual({
      'ReportFiled 0': 5,
      'CaseNoted 1': 5,
      'CaseDecided 2': 5,
    });
  });

  it('expires 72 hours after the end of a chat that continues after the dismissal', () => {
    const events = [createCaseOpened(), createReportFiled(), createCaseDecided(2, 'dismissed')];
    expect(computeExpiryDays(events, { s1: getDay(4) })['ReportFiled 0']).toBe(7);
    expect(computeExpiryDays(events, { other: getDay(4) })['ReportFiled 0']).toBe(5);
  });

  it('is kept by a second look that was asked for in time', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'dismissed'),
      createAppealFiled(4),
    ];
    expect(computeExpiryDays(events)['ReportFiled 0']).toBeNull();
    expect(computeExpiryDays([...events, createAppealDecided(10)])['ReportFiled 0']).toBe(13);
  });

  it('is not kept by a second look that was asked for after its expiry', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'dismissed'),
      createAppealFiled(6),
    ];
    expect(computeExpiryDays(events)['ReportFiled 0']).toBe(5);
    expect(computeExpiryDays([...events, createAppealDecided(10)])['ReportFiled 0']).toBe(5);
  });

  it('is kept again while the case is open again', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'dismissed'),
      createAppealFiled(3),
      createAppealDecided(4),
      createCaseOpened(4),
    ];
    expect(computeExpiryDays(events)['ReportFiled 0']).toBeNull();
    expect(computeExpiryDays([...events, createCaseDecided(6, 'warned')])['ReportFiled 0']).toBe(
      6 + APPEAL_DAYS,
    );
  });

  it.each(['warned', 'suspended', 'banned'] as const)('expires 183 days after the decision %s', (outcome) => {
    expect(
      computeExpiryDays([createCaseOpened(), createReportFiled(), createCaseDecided(2, outcome)])[
        'ReportFiled 0'
      ],
    ).toBe(2 + APPEAL_DAYS);
  });

  it('is kept until the end of an appeal', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'warned'),
      createAppealFiled(180),
    ];
    expect(computeExpiryDays(events)['ReportFiled 0']).toBeNull();
    expect(computeExpiryDays([...events, createAppealDecided(200)])['ReportFiled 0']).toBe(200);
    expect(computeExpiryDays([...events, createAppealDecided(181)])['ReportFiled 0']).toBe(2 + APPEAL_DAYS);
  });

  it('does not depend on other cases of the same user', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'dismissed'),
      createCaseOpened(3, 20),
      createReportFiled(3, 20),
    ];
    expect(computeExpiryDays(events)).toMatchObject({ 'ReportFiled 0': 5, 'ReportFiled 3': null });
  });
});

describe('facts, appeals and answers', () => {
  const suspended = [
    createCaseOpened(),
    createReportFiled(),
    createCaseDecided(2, 'suspended'),
    createSanctionImposed(2, 9),
  ];

  it('expire 183 days after the end of the sanction', () => {
    expect(computeExpiryDays(suspended)['CaseDecided 2']).toBe(9 + APPEAL_DAYS);
    const answers = computeExpiryDays([...suspended, createAppealFiled(3), createAppealDecided(4)]);
    expect(answers).toMatchObject({
      'CaseDecided 2': 9 + APPEAL_DAYS,
      'AppealFiled 3': 9 + APPEAL_DAYS,
      'AppealDecided 4': 9 + APPEAL_DAYS,
    });
  });

  it('expire 183 days after the end that an appeal or a moderator has brought forward', () => {
    expect(
      computeExpiryDays([...suspended, createAppealFiled(3), createAppealDecided(4, 5)])['CaseDecided 2'],
    ).toBe(5 + APPEAL_DAYS);
    expect(computeExpiryDays([...suspended, createSanctionLifted(6)])['CaseDecided 2']).toBe(6 + APPEAL_DAYS);
  });

  it('are kept while an appeal is open', () => {
    expect(computeExpiryDays([...suspended, createAppealFiled(3)])['CaseDecided 2']).toBeNull();
  });

  it('are kept as long as a ban is in force', () => {
    const banned = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'banned'),
      createSanctionImposed(2, null),
    ];
    expect(computeExpiryDays(banned)).toEqual({ 'ReportFiled 0': 2 + APPEAL_DAYS, 'CaseDecided 2': null });
    expect(computeExpiryDays([...banned, createSanctionLifted(400)])['CaseDecided 2']).toBe(
      400 + APPEAL_DAYS,
    );
  });

  it('of a warning expire 183 days after it', () => {
    expect(
      computeExpiryDays([createCaseOpened(), createReportFiled(), createCaseDecided(2, 'warned')])[
        'CaseDecided 2'
      ],
    ).toBe(2 + APPEAL_DAYS);
  });
});

describe('a hold', () => {
  it('keeps everything until it is lifted, and for 365 days', () => {
    const events = [
      createCaseOpened(),
      createReportFiled(),
      createCaseDecided(2, 'dismissed'),
      createHoldPlaced(3),
    ];
    expect(computeExpiryDays(events)).toEqual({
      'ReportFiled 0': null,
      'CaseDecided 2': null,
      'HoldPlaced 3': null,
    });
    expect(computeExpiryDays([...events, createHoldLifted(10)])).toEqual({
      'ReportFiled 0': 368,
      'CaseDecided 2': 368,
      'HoldPlaced 3': 368,
      'HoldLifted 10': 368,
    });
    expect(computeExpiryDays([...events, createHoldLifted(500)])).toMatchObject({
      'ReportFiled 0': 500,
      'HoldLifted 500': 683,
    });
  });

  it('does not concern what is recorded after it', () => {
    const events = [
      createHoldPlaced(0),
      createHoldLifted(1),
      createCaseOpened(2),
      createReportFiled(2),
      createCaseDecided(3, 'dismissed'),
    ];
    expect(computeExpiryDays(events)['ReportFiled 2']).toBe(6);
  });
});
