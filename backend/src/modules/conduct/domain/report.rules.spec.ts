import {
  computeStanding,
  ConductHistory,
  DAY_MS,
  HOUR_MS,
  createFinding,
  createReport,
  ada,
  listTypes,
} from '../../../testing/conduct-events.fixture';
import { expectRefusal } from '../../../testing/refusal.functions';

// `reportByUsers` files reports by the users 11, 12 and so on. Other numbers in the tests are further reporters.

/** One fewer than the five reporters whose reports lead to a suspension. */
const fourReporters = [31, 32, 33, 34];

describe('a report', () => {
  it('opens a case, which later reports join', () => {
    const history = new ConductHistory();
    expect(listTypes(history.report(11))).toEqual(['CaseOpened', 'ReportFiled']);
    expect(listTypes(history.report(12))).toEqual(['ReportFiled']);
    expect(history.findLastData('ReportFiled').caseId).toBe(history.findLastData('CaseOpened').caseId);
  });

  it('opens another case after the decision', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('warned');
    expect(listTypes(history.report(12))).toEqual(['CaseOpened', 'ReportFiled']);
  });

  it('is not filed again by the same reporter about the same random chat, even after the decision', () => {
    const history = new ConductHistory().reportByUsers(1);
    expect(history.report(11, { category: 'spam' })).toEqual([]);
    history.decide('dismissed');
    expect(history.report(11)).toEqual([]);
    const otherChat = { where: 'random_chat', sessionId: 'another', at: '2026-11-20T00:00:00.000Z' } as const;
    expect(listTypes(history.report(11, { context: otherChat }))).toEqual(['CaseOpened', 'ReportFiled']);
  });

  it('is not filed again by the same reporter about the private chat until the case is decided', () => {
    const history = new ConductHistory();
    const context = { where: 'private_chat', at: '2026-11-20T00:00:00.000Z' } as const;
    history.report(11, { context });
    expect(history.report(11, { context: { ...context, at: '2026-11-20T01:00:00.000Z' } })).toEqual([]);
    // A report about a random chat is another report.
    expect(listTypes(history.report(11))).toEqual(['ReportFiled']);
    history.decide('dismissed');
    expect(listTypes(history.report(11, { context }))).toEqual(['CaseOpened', 'ReportFiled']);
  });

  it('is refused when users report themselves', () => {
    const history = new ConductHistory();
    expectRefusal(() => history.execute(createReport(ada)), 'not_found');
  });
});

describe('distinct reporters', () => {
  it('flag the user once when there are three of them, with a notice and for at most 30 days', () => {
    const history = new ConductHistory().reportByUsers(2);
    expect(computeStanding(history).kind).toBe('good');
    expect(history.report(13).at(-1)).toMatchObject({
      type: 'PersonFlagged',
      data: {
        caseId: history.caseId,
        cause: 'reports',
        noticeId: expect.any(Number),
        until: new Date(history.now.getTime() + 30 * DAY_MS).toISOString(),
      },
    });
    expect(computeStanding(history).kind).toBe('care'); // the standing of flagged users
    expect(listTypes(history.report(14))).toEqual(['ReportFiled']);
  });

  it('suspend the user for 72 hours when there are five of them', () => {
    const history = new ConductHistory().reportByUsers(4);
    expect(history.report(15, { category: 'spam' }).at(-1)).toMatchObject({
      type: 'SanctionImposed',
      data: {
        kind: 'suspended',
        isAutomatic: true,
        rule: 'no_hate', // four of the five reports are about hate
        until: new Date(history.now.getTime() + 72 * HOUR_MS).toISOString(),
        noticeId: expect.any(Number),
      },
    });
    expect(computeStanding(history).kind).toBe('suspended');
  });

  it('suspend the user only once for each case', () => {
    const history = new ConductHistory().reportByUsers(5);
    expect(computeStanding(history).kind).toBe('suspended');
    // After the suspension, five other reporters report the user in the same case.
    history.wait(73 * HOUR_MS);
    for (const reporterId of fourReporters) history.report(reporterId);
    expect(listTypes(history.report(35))).toEqual(['ReportFiled']);
  });

  it('do not suspend a user who is already suspended for longer', () => {
    const history = new ConductHistory().reportByUsers(1);
    // For 7 days, which is longer than the automatic 72 hours.
    history.decide('suspended');
    for (const reporterId of fourReporters) history.report(reporterId);
    expect(listTypes(history.report(35))).toEqual(['ReportFiled']);
  });

  it('count only within 24 hours', () => {
    const history = new ConductHistory().reportByUsers(2).wait(DAY_MS);
    // The two earlier reporters no longer count, so the flag needs three others.
    expect(listTypes(history.report(13))).toEqual(['ReportFiled']);
    expect(listTypes(history.report(14))).toEqual(['ReportFiled']);
    expect(listTypes(history.report(15))).toEqual(['ReportFiled', 'PersonFlagged']);
  });

  it('count once for each device, no matter which account reported first', () => {
    const history = new ConductHistory();
    const deviceAccountIds = [21, 22, 23];
    // The reporters 24 and 25 below use other devices.
    for (const reporterId of [23, 21, 22]) history.report(reporterId, { deviceAccountIds });
    // The whole device counts as 23, the account that reported first.
    expect([...history.state.reports.values()].map(({ countsAs }) => countsAs)).toEqual([23, 23, 23]);
    expect(listTypes(history.report(24))).toEqual(['ReportFiled']);
    expect(listTypes(history.report(25))).toEqual(['ReportFiled', 'PersonFlagged']);
  });

  it('count once each, even with reports about several chats', () => {
    const history = new ConductHistory();
    for (const sessionId of ['one', 'two', 'three'])
      expect(
        listTypes(
          history.report(11, {
            context: { where: 'random_chat', sessionId, at: '2026-11-20T00:00:00.000Z' },
          }),
        ),
      ).not.toContain('PersonFlagged');
  });

  it('do not count when their reports have weight 0', () => {
    const history = new ConductHistory();
    for (const reporterId of [11, 12, 13, 14, 15]) history.report(reporterId, { weight: 0 });
    expect(computeStanding(history).kind).toBe('good');
  });
});

describe('a finding', () => {
  it('opens a case or joins the undecided one, and is recorded once for each source', () => {
    const history = new ConductHistory();
    expect(listTypes(history.execute(createFinding('classifier')))).toEqual(['CaseOpened', 'FindingRaised']);
    // `createFinding` has the same source by default.
    expect(history.execute(createFinding('classifier'))).toEqual([]);
    expect(listTypes(history.execute(createFinding('classifier', 'other')))).toEqual(['FindingRaised']);
    expect(listTypes(history.report(11))).toEqual(['ReportFiled']);
  });

  it('flags the user when it is about many accounts on their device', () => {
    const history = new ConductHistory();
    history.execute(createFinding('many_accounts'));
    expect(history.findLastData('PersonFlagged')).toMatchObject({
      cause: 'many_accounts',
      caseId: history.caseId,
    });
    expect(computeStanding(history).kind).toBe('care');
  });

  it('asks a user who states an age under 18 if they are an adult', () => {
    const history = new ConductHistory();
    history.execute(createFinding('stated_age'));
    const { noticeId } = history.findLastData('AgeAsked');
    expect(computeStanding(history)).toMatchObject({ kind: 'age_question', noticeId });
    history.execute({ type: 'AnswerAgeQuestion', noticeId, answer: 'adult' });
    expect(computeStanding(history).kind).toBe('good');
  });

  it('suspends a user who states an age under 18 again within 30 days, once and without an end', () => {
    const history = new ConductHistory();
    history.execute(createFinding('stated_age', 'first'));
    const { noticeId } = history.findLastData('AgeAsked');
    history.execute({ type: 'AnswerAgeQuestion', noticeId, answer: 'adult' });
    history.wait(29 * DAY_MS).execute(createFinding('stated_age', 'second'));
    expect(computeStanding(history)).toMatchObject({ kind: 'suspended', until: null });
    expect(listTypes(history.execute(createFinding('stated_age', 'third')))).toEqual(['FindingRaised']);
  });
});
