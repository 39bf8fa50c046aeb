import {
  createConfirmation,
  ada,
  ConductHistory,
  DAY_MS,
  mod,
  otherMod,
  listTypes,
} from '../../../testing/conduct-events.fixture';
import { expectRefusal } from '../../../testing/refusal.functions';
import { computeStandingAt } from '../../standings/domain/standing.state';

const computeStanding = ({ state, now }: ConductHistory) => computeStandingAt(state.standing, now);
/** A history with one report that was decided. */
const createDecidedHistory = (outcome: 'warned' | 'suspended' | 'banned' | 'dismissed'): ConductHistory => {
  const history = new ConductHistory().reportByUsers(1);
  history.decide(outcome);
  return history;
};
const appealSanction = (history: ConductHistory) =>
  history.fileAppeal(history.findLastData('SanctionImposed').noticeId);
const findReporterNotice = (history: ConductHistory): number =>
  history.findLastData('CaseDecided').reports[0]?.noticeId ?? 0;

describe('an appeal', () => {
  it('is possible for a warning, care, a suspension and a ban', () => {
    const warned = createDecidedHistory('warned');
    expect(listTypes(warned.fileAppeal(warned.findLastData('PersonWarned').noticeId))).toEqual([
      'AppealFiled',
    ]);
    const flagged = new ConductHistory().reportByUsers(3);
    expect(listTypes(flagged.fileAppeal(flagged.findLastData('PersonFlagged').noticeId))).toEqual([
      'AppealFiled',
    ]);
    for (const outcome of ['suspended', 'banned'] as const)
      expect(listTypes(appealSanction(createDecidedHistory(outcome)))).toEqual(['AppealFiled']);
  });

  it('is filed once: the same while it is open, refused once it is decided', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    expect(appealSanction(history)).toEqual([]);
    history.decideAppeal();
    expectRefusal(() => appealSanction(history), 'already_answered');
  });

  it('is possible for 183 days', () => {
    const history = createDecidedHistory('banned');
    history.wait(183 * DAY_MS);
    expect(listTypes(appealSanction(history))).toEqual(['AppealFiled']);
    const late = createDecidedHistory('banned');
    late.wait(183 * DAY_MS + 1);
    expectRefusal(() => appealSanction(late), 'too_late');
  });

  it('is refused for notices of others and for those that cannot be appealed', () => {
    const history = createDecidedHistory('suspended');
    expectRefusal(
      () => history.fileAppeal(history.findLastData('SanctionImposed').noticeId, 11),
      'not_found',
    );
    expectRefusal(() => history.fileAppeal(findReporterNotice(history), 11), 'not_found');
    expectRefusal(() => history.fileAppeal(999), 'not_found');
    appealSanction(history);
    history.decideAppeal();
    expectRefusal(
      () => history.fileAppeal(history.findLastData('AppealDecided').answerNoticeId),
      'not_found',
    );
  });
});

describe('the decision of an appeal', () => {
  it('is made by another moderator, who is not involved', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    const decide = (given: object) => () => history.decideAppeal(given);
    expectRefusal(decide({ moderatorId: mod }), 'own_decision');
    expectRefusal(decide({ moderatorId: 11 }), 'own_decision');
    expectRefusal(decide({ moderatorId: ada }), 'own_decision');
    expectRefusal(decide({ excludedModeratorIds: [otherMod] }), 'own_decision');
    expectRefusal(decide({ version: 1 }), 'case_changed');
    expectRefusal(decide({ appealId: 999 }), 'not_found');
    expect(history.decideAppeal()[0]).toMatchObject({ data: { moderatorId: otherMod, isSolo: false } });
    expectRefusal(decide({}), 'already_answered');
  });

  it('is made by the only moderator 24 hours after the appeal, and the event records that', () => {
    const history = createDecidedHistory('suspended');
    history.wait(DAY_MS);
    appealSanction(history);
    const solo = { moderatorId: mod, isOnlyModerator: true };
    history.wait(DAY_MS - 1);
    expectRefusal(() => history.decideAppeal(solo), 'own_decision');
    history.wait(1);
    expect(history.decideAppeal(solo)[0]).toMatchObject({ data: { isSolo: true } });
  });

  it('answers with one notice and changes nothing when it upholds', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    const before = computeStanding(history);
    expect(history.decideAppeal()).toMatchObject([
      { type: 'AppealDecided', data: { answerNoticeId: expect.any(Number), until: null } },
    ]);
    expect(computeStanding(history)).toEqual(before);
  });

  it('lifts the suspension when it reverses', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual([
      'AppealDecided',
      'SanctionLifted',
    ]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('replaces the end when it reduces; a reduced ban is a suspension that needs no confirmation', () => {
    const history = createDecidedHistory('banned');
    appealSanction(history);
    const until = new Date(history.now.getTime() + 2 * DAY_MS);
    history.decideAppeal({ outcome: 'reduced', until });
    expect(computeStanding(history)).toMatchObject({ kind: 'suspended', until: until.toISOString() });
    expectRefusal(() => history.execute(createConfirmation(history)), 'already_answered');
    history.wait(2 * DAY_MS);
    expect(computeStanding(history).kind).toBe('good');
    history.wait(2 * DAY_MS);
    expect(history.execute({ type: 'ApplyTimeLimits' })).toEqual([]);
  });

  it('refuses an end that is not earlier, has passed, or belongs to another outcome', () => {
    const history = createDecidedHistory('suspended');
    appealSanction(history);
    const addDays = (days: number) => new Date(history.now.getTime() + days * DAY_MS);
    for (const until of [null, addDays(0), addDays(7), addDays(8)])
      expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expectRefusal(() => history.decideAppeal({ outcome: 'upheld', until: addDays(1) }), 'validation_failed');
  });

  it('confirms a ban that it upholds', () => {
    const history = createDecidedHistory('banned');
    appealSanction(history);
    expect(listTypes(history.decideAppeal())).toEqual(['AppealDecided', 'SanctionConfirmed']);
  });

  it('about a ban that has become a suspension lifts the suspension', () => {
    const history = createDecidedHistory('banned');
    appealSanction(history);
    history.wait(3 * DAY_MS).execute({ type: 'ApplyTimeLimits' });
    history.decideAppeal({ outcome: 'reversed' });
    expect(computeStanding(history).kind).toBe('good');
  });

  it('about care ends the flag, and later reports count from then on', () => {
    const history = new ConductHistory().reportByUsers(3);
    history.fileAppeal(history.findLastData('PersonFlagged').noticeId);
    expect(listTypes(history.decideAppeal({ outcome: 'reversed', moderatorId: mod }))).toEqual([
      'AppealDecided',
      'FlagLifted',
    ]);
    expect(computeStanding(history).kind).toBe('good');
    history.wait(1000);
    expect(listTypes(history.report(31))).toEqual(['ReportFiled']);
    history.report(32);
    expect(listTypes(history.report(33))).toEqual(['ReportFiled', 'PersonFlagged']);
  });

  it('about an automatic suspension ends the flag as well', () => {
    const history = new ConductHistory().reportByUsers(5);
    appealSanction(history);
    history.decideAppeal({ outcome: 'reversed' });
    expect(computeStanding(history).kind).toBe('good');
  });
});

describe('a second look that a reporter asks for', () => {
  it('opens the case again when the dismissal is reversed', () => {
    const history = createDecidedHistory('dismissed');
    expect(listTypes(history.fileAppeal(findReporterNotice(history), 11))).toEqual(['AppealFiled']);
    expectRefusal(() => history.decideAppeal({ moderatorId: mod }), 'own_decision');
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided', 'CaseOpened']);
    expect(computeStanding(history).kind).toBe('good');
    expect(listTypes(history.decide('warned'))).toEqual(['CaseDecided', 'PersonWarned']);
  });

  it('opens no second case beside an undecided one', () => {
    const history = createDecidedHistory('dismissed');
    history.fileAppeal(findReporterNotice(history), 11);
    history.report(12);
    expect(listTypes(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided']);
  });

  it('can be upheld, but not reduced', () => {
    const history = createDecidedHistory('dismissed');
    history.fileAppeal(findReporterNotice(history), 11);
    const until = new Date(history.now.getTime() + DAY_MS);
    expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expect(listTypes(history.decideAppeal())).toEqual(['AppealDecided']);
  });
});
