import {
  computeStanding,
  createConfirmation,
  ada,
  ConductHistory,
  DAY_MS,
  mod,
  otherMod,
  listTypes,
} from '../../../testing/conduct-events.fixture';
import { expectRefusal } from '../../../testing/refusal.functions';

// `ada` is the reported user. By default `mod` decides cases, and `otherMod` confirms bans and decides appeals. A
// moderator who is involved in the case, or made the appealed decision, is refused with `own_decision`.

/** The first reporter of `reportByUsers`. */
const firstReporter = 11;
const UNKNOWN_ID = 999;
/** A history with one report, whose case was decided. */
const createDecidedHistory = (outcome: 'warned' | 'suspended' | 'banned' | 'dismissed'): ConductHistory => {
  const history = new ConductHistory().reportByUsers(1);
  history.decide(outcome);
  return history;
};
const appealSanction = (history: ConductHistory) =>
  history.fileAppeal(history.findLastData('SanctionImposed').noticeId);
const findReporterNoticeId = (history: ConductHistory): number =>
  history.findLastData('CaseDecided').reports[0]!.noticeId;

describe('an appeal', () => {
  it('is possible against a warning, a flag, a suspension and a ban', () => {
    const warned = createDecidedHistory('warned');
    expect(listTypes(warned.fileAppeal(warned.findLastData('PersonWarned').noticeId))).toEqual([
      'AppealFiled',
    ]);
    // Three reporters flag a user.
    const flagged = new ConductHistory().reportByUsers(3);
    expect(listTypes(flagged.fileAppeal(flagged.findLastData('PersonFlagged').noticeId))).toEqual([
      'AppealFiled',
    ]);
    for (const outcome of ['suspended', 'banned'] as const)
      expect(listTypes(appealSanction(createDecidedHistory(outcome)))).toEqual(['AppealFiled']);
  });

  it('changes nothing when it is repeated while open, and is refused once it is decided', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    expect(appealSanction(history)).toEqual([]);
    history.decideAppeal();
    expectRefusal(() => appealSanction(history), 'already_answered');
  });

  it('is possible until 183 days after the notice', () => {
    const history = createDecidedHistory('banned');
    history.wait(183 * DAY_MS);
    expect(listTypes(appealSanction(history))).toEqual(['AppealFiled']);
    const late = createDecidedHistory('banned');
    late.wait(183 * DAY_MS + 1);
    expectRefusal(() => appealSanction(late), 'too_late');
  });

  it('is refused for notices of other users, for unknown notices and for those that cannot be appealed', () => {
    const history = createDecidedHistory('suspended');
    expectRefusal(
      () => history.fileAppeal(history.findLastData('SanctionImposed').noticeId, firstReporter),
      'not_found',
    );
    // A reporter may appeal only if the report was dismissed.
    expectRefusal(() => history.fileAppeal(findReporterNoticeId(history), firstReporter), 'not_found');
    expectRefusal(() => history.fileAppeal(UNKNOWN_ID), 'not_found');
    appealSanction(history);
    history.decideAppeal();
    expectRefusal(
      () => history.fileAppeal(history.findLastData('AppealDecided').answerNoticeId),
      'not_found',
    );
  });
});

describe('the decision of an appeal', () => {
  it('is made once, by another moderator who is not involved and has seen the newest version of the case', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    const decide = (changes: object) => () => history.decideAppeal(changes);
    expectRefusal(decide({ moderatorId: mod }), 'own_decision');
    expectRefusal(decide({ moderatorId: firstReporter }), 'own_decision');
    expectRefusal(decide({ moderatorId: ada }), 'own_decision');
    // Friends of the user or of a reporter are excluded.
    expectRefusal(decide({ excludedModeratorIds: [otherMod] }), 'own_decision');
    expectRefusal(decide({ version: 1 }), 'case_changed');
    expectRefusal(decide({ appealId: UNKNOWN_ID }), 'not_found');
    expect(history.decideAppeal()[0]).toMatchObject({ data: { moderatorId: otherMod, isSolo: false } });
    expectRefusal(decide({}), 'already_answered');
  });

  it('can be made by the only moderator 24 hours after the appeal, which the event records', () => {
    const history = createDecidedHistory('suspended');
    // This day does not count, because it is before the appeal.
    history.wait(DAY_MS);
    appealSanction(history);
    const soloReview = { moderatorId: mod, isOnlyModerator: true };
    history.wait(DAY_MS - 1);
    expectRefusal(() => history.decideAppeal(soloReview), 'own_decision');
    history.wait(1);
    expect(history.decideAppeal(soloReview)[0]).toMatchObject({ data: { isSolo: true } });
  });

  it('sends one notice with the answer and changes nothing when it upholds the suspension', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    const standingBefore = computeStanding(history);
    expect(history.decideAppeal()).toMatchObject([
      { type: 'AppealDecided', data: { answerNoticeId: expect.any(Number), until: null } },
    ]);
    expect(computeStanding(history)).toEqual(standingBefore);
  });

  it('lifts the suspension when it reverses the decision', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual([
      'AppealDecided',
      'SanctionLifted',
    ]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('turns a reduced ban into a suspension with the given end, which needs no confirmation', () => {
    const history = createDecidedHistory('banned');
    appealSanction(history);
    const until = new Date(history.now.getTime() + 2 * DAY_MS);
    history.decideAppeal({ outcome: 'reduced', until });
    expect(computeStanding(history)).toMatchObject({ kind: 'suspended', until: until.toISOString() });
    expectRefusal(() => history.execute(createConfirmation(history)), 'already_answered');
    history.wait(2 * DAY_MS);
    expect(computeStanding(history).kind).toBe('good');
    // An unconfirmed ban becomes a suspension after 72 hours. This one is not a ban any more.
    history.wait(2 * DAY_MS);
    expect(history.execute({ type: 'ApplyTimeLimits' })).toEqual([]);
  });

  it('reduces a suspension only to an earlier end in the future, and refuses an end with another outcome', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    const addDays = (days: number) => new Date(history.now.getTime() + days * DAY_MS);
    // The suspension lasts 7 days.
    for (const until of [null, addDays(0), addDays(7), addDays(8)])
      expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expectRefusal(() => history.decideAppeal({ outcome: 'upheld', until: addDays(1) }), 'validation_failed');
  });

  it('confirms a ban that it upholds', () => {
    const history = createDecidedHistory('banned');
    appealSanction(history);
    expect(listTypes(history.decideAppeal())).toEqual(['AppealDecided', 'SanctionConfirmed']);
  });

  it('does not confirm a later ban if the moderator who imposed the ban decides the appeal', () => {
    // Five reporters suspend a user automatically.
    const history = new ConductHistory().reportByUsers(5);
    appealSanction(history);
    history.decide('banned');
    expect(listTypes(history.decideAppeal({ moderatorId: mod }))).toEqual(['AppealDecided']);
    expectRefusal(() => history.execute(createConfirmation(history, { moderatorId: mod })), 'own_decision');
  });

  it('lifts the suspension when it reverses a ban that has become a suspension', () => {
    const history = createDecidedHistory('banned');
    appealSanction(history);
    // A ban that is not confirmed within 72 hours becomes a suspension.
    history.wait(3 * DAY_MS).execute({ type: 'ApplyTimeLimits' });
    history.decideAppeal({ outcome: 'reversed' });
    expect(computeStanding(history).kind).toBe('good');
  });

  it('ends a flag that it reverses, and only later reports count towards another flag', () => {
    // Three reporters flag a user.
    const history = new ConductHistory().reportByUsers(3);
    history.fileAppeal(history.findLastData('PersonFlagged').noticeId);
    // `mod` may decide as well, because the flag was automatic.
    expect(listTypes(history.decideAppeal({ outcome: 'reversed', moderatorId: mod }))).toEqual([
      'AppealDecided',
      'FlagLifted',
    ]);
    expect(computeStanding(history).kind).toBe('good');
    // Reports at the very time of the decision would not count.
    history.wait(1);
    expect(listTypes(history.report(31))).toEqual(['ReportFiled']);
    history.report(32);
    expect(listTypes(history.report(33))).toEqual(['ReportFiled', 'PersonFlagged']);
  });

  it('ends the flag as well when it reverses an automatic suspension', () => {
    // Five reporters flag and suspend a user.
    const history = new ConductHistory().reportByUsers(5);
    appealSanction(history);
    history.decideAppeal({ outcome: 'reversed' });
    expect(computeStanding(history).kind).toBe('good');
  });
});

describe('the appeal of a reporter whose report was dismissed', () => {
  it('opens the case again when another moderator reverses the dismissal', () => {
    const history = createDecidedHistory('dismissed');
    expect(listTypes(history.fileAppeal(findReporterNoticeId(history), firstReporter))).toEqual([
      'AppealFiled',
    ]);
    expectRefusal(() => history.decideAppeal({ moderatorId: mod }), 'own_decision');
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided', 'CaseOpened']);
    expect(computeStanding(history).kind).toBe('good');
    expect(listTypes(history.decide('warned'))).toEqual(['CaseDecided', 'PersonWarned']);
  });

  it('opens no second case beside an undecided one', () => {
    const history = createDecidedHistory('dismissed');
    history.fileAppeal(findReporterNoticeId(history), firstReporter);
    history.report(12);
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided']);
  });

  it('does not open the case again once a later decision has banned the user', () => {
    const history = new ConductHistory().reportByUsers(2);
    history.decide('dismissed');
    const [firstNotice, secondNotice] = history.findLastData('CaseDecided').reports;
    history.fileAppeal(firstNotice!.noticeId, firstReporter);
    history.decideAppeal({ outcome: 'reversed' });
    history.fileAppeal(secondNotice!.noticeId, firstReporter + 1);
    history.decide('banned');
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided']);
  });

  it('lets moderators uphold the dismissal, but not reduce it', () => {
    const history = createDecidedHistory('dismissed');
    history.fileAppeal(findReporterNoticeId(history), firstReporter);
    const until = new Date(history.now.getTime() + DAY_MS);
    expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expect(listTypes(history.decideAppeal())).toEqual(['AppealDecided']);
  });
});
