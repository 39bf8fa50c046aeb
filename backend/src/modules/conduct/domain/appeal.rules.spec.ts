import {
  aConfirmation,
  ada,
  ConductHistory,
  DAY_MS,
  mod,
  otherMod,
  typesOf,
} from '../../../testing/conduct-events.fixture';
import { expectRefusal } from '../../../testing/refusal.functions';
import { computeStandingAt } from '../../standings/domain/standing.state';

const standingOf = ({ state, now }: ConductHistory) => computeStandingAt(state.standing, now);
const decided = (outcome: 'warned' | 'suspended' | 'banned' | 'dismissed'): ConductHistory => {
  const history = new ConductHistory().reportByUsers(1);
  history.decide(outcome);
  return history;
};
const appealSanction = (history: ConductHistory) =>
  history.appeal(history.lastDataOf('SanctionImposed').noticeId);
const noticeOfReporter = (history: ConductHistory): number =>
  history.lastDataOf('CaseDecided').reports[0]?.noticeId ?? 0;

describe('an appeal', () => {
  it('is possible for a warning, care, a suspension and a ban', () => {
    const warned = decided('warned');
    expect(typesOf(warned.appeal(warned.lastDataOf('PersonWarned').noticeId))).toEqual(['AppealFiled']);
    const flagged = new ConductHistory().reportByUsers(3);
    expect(typesOf(flagged.appeal(flagged.lastDataOf('PersonFlagged').noticeId))).toEqual(['AppealFiled']);
    for (const outcome of ['suspended', 'banned'] as const)
      expect(typesOf(appealSanction(decided(outcome)))).toEqual(['AppealFiled']);
  });

  it('is filed once: the same while it is open, refused once it is decided', () => {
    const history = decided('suspended');
    appealSanction(history);
    expect(appealSanction(history)).toEqual([]);
    history.decideAppeal();
    expectRefusal(() => appealSanction(history), 'already_answered');
  });

  it('is possible for 183 days', () => {
    const history = decided('banned');
    history.wait(183 * DAY_MS);
    expect(typesOf(appealSanction(history))).toEqual(['AppealFiled']);
    const late = decided('banned');
    late.wait(183 * DAY_MS + 1);
    expectRefusal(() => appealSanction(late), 'too_late');
  });

  it('is refused for notices of others and for those that cannot be appealed', () => {
    const history = decided('suspended');
    expectRefusal(() => history.appeal(history.lastDataOf('SanctionImposed').noticeId, 11), 'not_found');
    expectRefusal(() => history.appeal(noticeOfReporter(history), 11), 'not_found');
    expectRefusal(() => history.appeal(999), 'not_found');
    appealSanction(history);
    history.decideAppeal();
    expectRefusal(() => history.appeal(history.lastDataOf('AppealDecided').answerNoticeId), 'not_found');
  });
});

describe('the decision of an appeal', () => {
  it('is that of another moderator, who is not involved', () => {
    const history = decided('suspended');
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

  it('is that of the only moderator 24 hours after the appeal, which is recorded', () => {
    const history = decided('suspended');
    history.wait(DAY_MS);
    appealSanction(history);
    const solo = { moderatorId: mod, isOnlyModerator: true };
    history.wait(DAY_MS - 1);
    expectRefusal(() => history.decideAppeal(solo), 'own_decision');
    history.wait(1);
    expect(history.decideAppeal(solo)[0]).toMatchObject({ data: { isSolo: true } });
  });

  it('answers with one notice and changes nothing when it upholds', () => {
    const history = decided('suspended');
    appealSanction(history);
    const before = standingOf(history);
    expect(history.decideAppeal()).toMatchObject([
      { type: 'AppealDecided', data: { answerNoticeId: expect.any(Number), until: null } },
    ]);
    expect(standingOf(history)).toEqual(before);
  });

  it('lifts the suspension when it reverses', () => {
    const history = decided('suspended');
    appealSanction(history);
    expect(typesOf(history.decideAppeal({ outcome: 'reversed' }))).toEqual([
      'AppealDecided',
      'SanctionLifted',
    ]);
    expect(standingOf(history).kind).toBe('good');
  });

  it('replaces the end when it reduces; a reduced ban is a suspension that needs no confirmation', () => {
    const history = decided('banned');
    appealSanction(history);
    const until = new Date(history.now.getTime() + 2 * DAY_MS);
    history.decideAppeal({ outcome: 'reduced', until });
    expect(standingOf(history)).toMatchObject({ kind: 'suspended', until: until.toISOString() });
    expectRefusal(() => history.execute(aConfirmation(history)), 'already_answered');
    history.wait(2 * DAY_MS);
    expect(standingOf(history).kind).toBe('good');
    history.wait(2 * DAY_MS);
    expect(history.execute({ type: 'ApplyTimeLimits' })).toEqual([]);
  });

  it('refuses an end that is not earlier, has passed, or belongs to another outcome', () => {
    const history = decided('suspended');
    appealSanction(history);
    const inDays = (days: number) => new Date(history.now.getTime() + days * DAY_MS);
    for (const until of [null, inDays(0), inDays(7), inDays(8)])
      expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expectRefusal(() => history.decideAppeal({ outcome: 'upheld', until: inDays(1) }), 'validation_failed');
  });

  it('confirms a ban that it upholds', () => {
    const history = decided('banned');
    appealSanction(history);
    expect(typesOf(history.decideAppeal())).toEqual(['AppealDecided', 'SanctionConfirmed']);
  });

  it('about a ban that has become a suspension lifts the suspension', () => {
    const history = decided('banned');
    appealSanction(history);
    history.wait(3 * DAY_MS).execute({ type: 'ApplyTimeLimits' });
    history.decideAppeal({ outcome: 'reversed' });
    expect(standingOf(history).kind).toBe('good');
  });

  it('about care ends the flag, and later reports count from then on', () => {
    const history = new ConductHistory().reportByUsers(3);
    history.appeal(history.lastDataOf('PersonFlagged').noticeId);
    expect(typesOf(history.decideAppeal({ outcome: 'reversed', moderatorId: mod }))).toEqual([
      'AppealDecided',
      'FlagLifted',
    ]);
    expect(standingOf(history).kind).toBe('good');
    history.wait(1000);
    expect(typesOf(history.report(31))).toEqual(['ReportFiled']);
    history.report(32);
    expect(typesOf(history.report(33))).toEqual(['ReportFiled', 'PersonFlagged']);
  });

  it('about an automatic suspension ends the flag as well', () => {
    const history = new ConductHistory().reportByUsers(5);
    appealSanction(history);
    history.decideAppeal({ outcome: 'reversed' });
    expect(standingOf(history).kind).toBe('good');
  });
});

describe('a second look that a reporter asks for', () => {
  it('opens the case again when the dismissal is reversed', () => {
    const history = decided('dismissed');
    expect(typesOf(history.appeal(noticeOfReporter(history), 11))).toEqual(['AppealFiled']);
    expectRefusal(() => history.decideAppeal({ moderatorId: mod }), 'own_decision');
    expect(typesOf(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided', 'CaseOpened']);
    expect(standingOf(history).kind).toBe('good');
    expect(typesOf(history.decide('warned'))).toEqual(['CaseDecided', 'PersonWarned']);
  });

  it('opens no second case beside an undecided one', () => {
    const history = decided('dismissed');
    history.appeal(noticeOfReporter(history), 11);
    history.report(12);
    expect(typesOf(history.decideAppeal({ outcome: 'reversed' }))).toEqual(['AppealDecided']);
  });

  it('can be upheld, and has nothing to reduce', () => {
    const history = decided('dismissed');
    history.appeal(noticeOfReporter(history), 11);
    const until = new Date(history.now.getTime() + DAY_MS);
    expectRefusal(() => history.decideAppeal({ outcome: 'reduced', until }), 'validation_failed');
    expect(typesOf(history.decideAppeal())).toEqual(['AppealDecided']);
  });
});
