import {
  applyTimeLimits,
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
/** A history with one report, whose case was decided with a sanction that `ada` has appealed. */
const createAppealedHistory = (sanction: 'suspended' | 'banned'): ConductHistory => {
  const history = createDecidedHistory(sanction);
  appealSanction(history);
  return history;
};
/** The time `days` after the present time of the history. */
const addDays = ({ now }: ConductHistory, days: number): Date => new Date(now.getTime() + days * DAY_MS);
const findReporterNoticeId = (history: ConductHistory): number =>
  history.findLastData('CaseDecided').reports[0]!.noticeId;

describe('an appeal', () => {
  it('is possible against a warning', () => {
    const history = createDecidedHistory('warned');
    const { noticeId } = history.findLastData('PersonWarned');
    expect(listTypes(history.fileAppeal(noticeId))).toEqual(['AppealFiled']);
  });

  it('is possible against a flag', () => {
    // Three reporters flag a user.
    const history = new ConductHistory().reportByUsers(3);
    const { noticeId } = history.findLastData('PersonFlagged');
    expect(listTypes(history.fileAppeal(noticeId))).toEqual(['AppealFiled']);
  });

  it.each(['suspended', 'banned'] as const)('is possible for a user who was %s', (outcome) => {
    expect(listTypes(appealSanction(createDecidedHistory(outcome)))).toEqual(['AppealFiled']);
  });

  it('changes nothing when it is repeated while open, and is refused once it is decided', () => {
    const history = createAppealedHistory('suspended');
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

  it('is refused for the notice of another user', () => {
    const history = createDecidedHistory('suspended');
    const { noticeId } = history.findLastData('SanctionImposed');
    expectRefusal(() => history.fileAppeal(noticeId, firstReporter), 'not_found');
  });

  it('is refused to a reporter whose report was not dismissed', () => {
    const history = createDecidedHistory('suspended');
    expectRefusal(() => history.fileAppeal(findReporterNoticeId(history), firstReporter), 'not_found');
  });

  it('is refused for an unknown notice', () => {
    const history = createDecidedHistory('suspended');
    expectRefusal(() => history.fileAppeal(UNKNOWN_ID), 'not_found');
  });

  it('is refused for the notice with the answer to an appeal', () => {
    const history = createAppealedHistory('suspended');
    history.decideAppeal();
    const { answerNoticeId } = history.findLastData('AppealDecided');
    expectRefusal(() => history.fileAppeal(answerNoticeId), 'not_found');
  });
});

describe('the decision of an appeal', () => {
  it.each([
    { moderator: 'who has made the appealed decision', changes: { moderatorId: mod } },
    { moderator: 'who has reported the user', changes: { moderatorId: firstReporter } },
    { moderator: 'who is the reported user', changes: { moderatorId: ada } },
    { moderator: 'who is excluded as a friend', changes: { excludedModeratorIds: [otherMod] } },
  ])('is refused to a moderator $moderator', ({ changes }) => {
    const history = createAppealedHistory('suspended');
    expectRefusal(() => history.decideAppeal(changes), 'own_decision');
  });

  it('is refused to a moderator who has not seen the newest version of the case', () => {
    const history = createAppealedHistory('suspended');
    expectRefusal(() => history.decideAppeal({ version: 1 }), 'case_changed');
  });

  it('is refused for an unknown appeal', () => {
    const history = createAppealedHistory('suspended');
    expectRefusal(() => history.decideAppeal({ appealId: UNKNOWN_ID }), 'not_found');
  });

  it('is made once, by a moderator who is not involved', () => {
    const history = createAppealedHistory('suspended');
    expect(history.decideAppeal()[0]).toMatchObject({ data: { moderatorId: otherMod, isSolo: false } });
    expectRefusal(() => history.decideAppeal(), 'already_answered');
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
    const history = createAppealedHistory('suspended');
    const standingBefore = computeStanding(history);
    expect(history.decideAppeal()).toMatchObject([
      { type: 'AppealDecided', data: { answerNoticeId: expect.any(Number), until: null } },
    ]);
    expect(computeStanding(history)).toEqual(standingBefore);
  });

  it('lifts the suspension when it reverses the decision', () => {
    const history = createAppealedHistory('suspended');
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual([
      'AppealDecided',
      'SanctionLifted',
    ]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('turns a reduced ban into a suspension with the given end', () => {
    const history = createAppealedHistory('banned');
    const until = addDays(history, 2);
    history.decideAppeal({ outcome: 'reduced', until });
    expect(computeStanding(history)).toMatchObject({ kind: 'suspended', until: until.toISOString() });
    history.wait(2 * DAY_MS);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('leaves no ban to confirm when it reduces the ban', () => {
    const history = createAppealedHistory('banned');
    history.decideAppeal({ outcome: 'reduced', until: addDays(history, 2) });
    expectRefusal(() => history.execute(createConfirmation(history)), 'already_answered');
    // The time limit of 72 hours, after which an unconfirmed ban becomes a suspension, has no effect either.
    history.wait(4 * DAY_MS);
    expect(applyTimeLimits(history)).toEqual([]);
  });

  it('reduces a suspension only to an earlier end in the future', () => {
    const history = createAppealedHistory('suspended');
    // The suspension lasts 7 days.
    for (const until of [null, addDays(history, 0), addDays(history, 7), addDays(history, 8)])
      expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
  });

  it('is refused if it upholds the suspension and sets an end', () => {
    const history = createAppealedHistory('suspended');
    const until = addDays(history, 1);
    expectRefusal(() => history.decideAppeal({ outcome: 'upheld', until }), 'validation_failed');
  });

  it('confirms a ban that it upholds', () => {
    const history = createAppealedHistory('banned');
    expect(listTypes(history.decideAppeal())).toEqual(['AppealDecided', 'SanctionConfirmed']);
  });

  it('does not confirm a later ban if the moderator who imposed the ban decides the appeal', () => {
    // Five reporters suspend a user automatically, so `mod` may decide this appeal.
    const history = new ConductHistory().reportByUsers(5);
    appealSanction(history);
    history.decide('banned');
    expect(listTypes(history.decideAppeal({ moderatorId: mod }))).toEqual(['AppealDecided']);
    expectRefusal(() => history.execute(createConfirmation(history, { moderatorId: mod })), 'own_decision');
  });

  it('lifts the suspension when it reverses a ban that has become a suspension', () => {
    const history = createAppealedHistory('banned');
    // A ban that is not confirmed within 72 hours becomes a suspension.
    history.wait(3 * DAY_MS);
    applyTimeLimits(history);
    history.decideAppeal({ outcome: 'reversed' });
    expect(computeStanding(history).kind).toBe('good');
  });

  it('ends a flag that it reverses', () => {
    // Three reporters flag a user.
    const history = new ConductHistory().reportByUsers(3);
    history.fileAppeal(history.findLastData('PersonFlagged').noticeId);
    // `mod` may decide as well, because the flag was automatic.
    expect(listTypes(history.decideAppeal({ outcome: 'reversed', moderatorId: mod }))).toEqual([
      'AppealDecided',
      'FlagLifted',
    ]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('lets only later reports count towards another flag when it reverses a flag', () => {
    const history = new ConductHistory().reportByUsers(3);
    history.fileAppeal(history.findLastData('PersonFlagged').noticeId);
    history.decideAppeal({ outcome: 'reversed' });
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
    const until = addDays(history, 1);
    expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expect(listTypes(history.decideAppeal())).toEqual(['AppealDecided']);
  });
});
