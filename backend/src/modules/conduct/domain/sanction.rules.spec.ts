import {
  createConfirmation,
  createFinding,
  ada,
  ConductHistory,
  DAY_MS,
  HOUR_MS,
  mod,
  otherMod,
  listTypes,
} from '../../../testing/conduct-events.fixture';
import { expectRefusal } from '../../../testing/refusal.functions';
import { computeStandingAt } from '../../standings/domain/standing.state';

// By default `mod` decides cases and `otherMod` confirms bans. A moderator who is involved in the case, or would review
// their own decision, is refused with `own_decision`.

/** The first reporter of `reportByUsers`. */
const firstReporter = 11;
const UNKNOWN_ID = 999;
/** Two sanctions of other accounts: `ada` inherits the first, the source, and has nothing to do with the second. */
const SOURCE_SANCTION_ID = 77;
const OTHER_SANCTION_ID = 78;

const computeStanding = ({ state, now }: ConductHistory) => computeStandingAt(state.standing, now);
const createBannedHistory = (): ConductHistory => {
  const history = new ConductHistory().reportByUsers(1);
  history.decide('banned');
  return history;
};
const applyTimeLimits = (history: ConductHistory) => history.execute({ type: 'ApplyTimeLimits' });

describe('a ban', () => {
  it('is confirmed once, by another moderator', () => {
    const history = createBannedHistory();
    expectRefusal(() => history.execute(createConfirmation(history, { moderatorId: mod })), 'own_decision');
    expect(history.execute(createConfirmation(history))).toMatchObject([
      { type: 'SanctionConfirmed', data: { moderatorId: otherMod, isSolo: false } },
    ]);
    expectRefusal(() => history.execute(createConfirmation(history)), 'already_answered');
  });

  it('can be confirmed by the only moderator after 24 hours, and the event says that no other moderator was involved', () => {
    const history = createBannedHistory();
    const createSoloConfirmation = () =>
      createConfirmation(history, { moderatorId: mod, isOnlyModerator: true });
    history.wait(DAY_MS - 1);
    expectRefusal(() => history.execute(createSoloConfirmation()), 'own_decision');
    history.wait(1);
    expect(history.execute(createSoloConfirmation())).toMatchObject([
      { type: 'SanctionConfirmed', data: { isSolo: true } },
    ]);
  });

  it('ends when the other moderator refuses to confirm it', () => {
    const history = createBannedHistory();
    expect(
      history.execute(
        createConfirmation(history, { isConfirmed: false, facts: 'It was a misunderstanding.' }),
      ),
    ).toMatchObject([
      {
        type: 'SanctionLifted',
        data: { cause: 'not_confirmed', noticeId: expect.any(Number), reason: 'It was a misunderstanding.' },
      },
    ]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('cannot be confirmed by a reporter, the banned user or a friend, with an old version, or in an unknown case', () => {
    const history = createBannedHistory();
    const confirm = (changes: Parameters<typeof createConfirmation>[1]) => () =>
      history.execute(createConfirmation(history, changes));
    expectRefusal(confirm({ moderatorId: firstReporter }), 'own_decision');
    expectRefusal(confirm({ moderatorId: ada }), 'own_decision');
    // A friend of a user of the case is an excluded moderator.
    expectRefusal(confirm({ excludedModeratorIds: [otherMod] }), 'own_decision');
    expectRefusal(confirm({ version: 1 }), 'case_changed');
    expectRefusal(confirm({ caseId: UNKNOWN_ID }), 'not_found');
  });

  it('becomes a suspension of 30 days from its start when it is not confirmed within 72 hours', () => {
    const history = createBannedHistory();
    const banStart = history.now.getTime();
    history.wait(72 * HOUR_MS - 1);
    expect(applyTimeLimits(history)).toEqual([]);
    history.wait(1);
    expect(applyTimeLimits(history)).toMatchObject([
      { type: 'SanctionLifted', data: { cause: 'not_confirmed', noticeId: null } },
      {
        type: 'SanctionImposed',
        data: { kind: 'suspended', isAutomatic: false, noticeId: expect.any(Number) },
      },
    ]);
    expect(computeStanding(history)).toMatchObject({
      kind: 'suspended',
      until: new Date(banStart + 30 * DAY_MS).toISOString(),
    });
    expect(applyTimeLimits(history)).toEqual([]);
    history.wait(30 * DAY_MS);
    expect(applyTimeLimits(history)).toEqual([]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('stays in force when it was confirmed in time', () => {
    const history = createBannedHistory();
    history.execute(createConfirmation(history));
    history.wait(400 * DAY_MS);
    expect(applyTimeLimits(history)).toEqual([]);
    expect(computeStanding(history).kind).toBe('banned');
  });
});

describe('an automatic suspension', () => {
  it('flags the user again, once and with a notice, when it ends before a moderator has decided', () => {
    // Five reporters flag a user and suspend them for 72 hours.
    const history = new ConductHistory().reportByUsers(5).wait(72 * HOUR_MS);
    // The new flag ends when the first one, which was set with the suspension, would have ended.
    const { until } = history.findLastData('PersonFlagged');
    expect(applyTimeLimits(history)).toMatchObject([
      { type: 'PersonFlagged', data: { cause: 'sanction_lapsed', until, noticeId: expect.any(Number) } },
    ]);
    expect(computeStanding(history).kind).toBe('care'); // the standing of flagged users
    expect(applyTimeLimits(history)).toEqual([]);
    history.wait(30 * DAY_MS);
    expect(listTypes(applyTimeLimits(history))).toEqual(['FlagLifted']);
    expect(applyTimeLimits(history)).toEqual([]);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('flags the user again when the suspension ends after the earlier flag', () => {
    // Three reporters flag a user for 30 days.
    const history = new ConductHistory().reportByUsers(3).wait(29 * DAY_MS);
    // The first three reports are too old to count; five further reporters suspend the user for 72 hours.
    for (const reporterId of [31, 32, 33, 34, 35]) history.report(reporterId);
    expect(computeStanding(history).kind).toBe('suspended');
    history.wait(72 * HOUR_MS);
    // Without `FlagLifted`: the earlier flag was due to end on day 30, and the new flag replaces it.
    expect(listTypes(applyTimeLimits(history))).toEqual(['PersonFlagged']);
    expect(computeStanding(history).kind).toBe('care');
  });

  it('does not flag the user at its end when its case was dismissed', () => {
    // Five reporters suspend a user for 72 hours.
    const history = new ConductHistory().reportByUsers(5);
    history.decide('dismissed');
    history.wait(80 * HOUR_MS);
    expect(applyTimeLimits(history)).toEqual([]);
  });
});

describe('a flag', () => {
  it('ends after 30 days, and no notice is sent', () => {
    // Three reporters flag a user.
    const history = new ConductHistory().reportByUsers(3).wait(30 * DAY_MS - 1);
    expect(applyTimeLimits(history)).toEqual([]);
    history.wait(1);
    expect(applyTimeLimits(history)).toMatchObject([{ type: 'FlagLifted', data: { noticeId: null } }]);
  });
});

describe('lifting a sanction', () => {
  const lift = (history: ConductHistory, changes = {}) =>
    history.execute({
      type: 'LiftSanction',
      sanctionId: history.findLastData('SanctionImposed').sanctionId,
      moderatorId: mod,
      reason: 'Enough',
      ...changes,
    });

  it('ends it once, with a notice', () => {
    const history = createBannedHistory();
    expect(lift(history)).toMatchObject([
      {
        type: 'SanctionLifted',
        data: { cause: 'moderator', reason: 'Enough', noticeId: expect.any(Number) },
      },
    ]);
    expect(computeStanding(history).kind).toBe('good');
    expectRefusal(() => lift(history), 'already_answered');
    expectRefusal(() => history.execute(createConfirmation(history)), 'already_answered');
  });

  it('is refused to the user themselves, and for sanctions that do not exist', () => {
    const history = createBannedHistory();
    expectRefusal(() => lift(history, { moderatorId: ada }), 'own_decision');
    expectRefusal(() => lift(history, { sanctionId: UNKNOWN_ID }), 'not_found');
  });
});

describe('a legal hold', () => {
  it('is placed and lifted once, by a moderator other than the user', () => {
    const history = new ConductHistory();
    const setHold = (isHeld: boolean, moderatorId = mod) =>
      history.execute({ type: 'SetLegalHold', isHeld, moderatorId, reason: 'The police asked' });
    expect(listTypes(setHold(true))).toEqual(['HoldPlaced']);
    expect(setHold(true)).toEqual([]);
    expectRefusal(() => setHold(false, ada), 'own_decision');
    expect(listTypes(setHold(false))).toEqual(['HoldLifted']);
    expect(setHold(false)).toEqual([]);
  });
});

describe('an inherited sanction', () => {
  /** Inherits a ban without an end. */
  const inherit = (history: ConductHistory) =>
    history.execute({
      type: 'InheritSanction',
      sanctionId: SOURCE_SANCTION_ID,
      kind: 'banned',
      rule: 'no_spam',
      until: null,
    });

  it('has a decided case of its own, is imposed once, and needs no confirmation', () => {
    const history = new ConductHistory();
    expect(listTypes(inherit(history))).toEqual(['CaseOpened', 'CaseDecided', 'SanctionImposed']);
    expect(inherit(history)).toEqual([]);
    history.wait(100 * DAY_MS);
    expect(applyTimeLimits(history)).toEqual([]);
    expect(computeStanding(history).kind).toBe('banned');
    expect(history.findLastData('SanctionImposed')).toMatchObject({
      inheritedFrom: SOURCE_SANCTION_ID,
      isAutomatic: true,
    });
  });

  describe('whose source was lifted or shortened', () => {
    /** @param until the end of the source; null: the source was lifted. */
    const align = (history: ConductHistory, until: Date | null, sanctionId = SOURCE_SANCTION_ID) =>
      history.execute({ type: 'AlignInheritedSanction', sanctionId, until });

    it('is lifted once when the source is lifted, with a notice', () => {
      const history = new ConductHistory();
      inherit(history);
      expect(align(history, null, OTHER_SANCTION_ID)).toEqual([]);
      expect(align(history, null)).toMatchObject([
        { type: 'SanctionLifted', data: { cause: 'source_ended', noticeId: expect.any(Number) } },
      ]);
      expect(computeStanding(history).kind).toBe('good');
      expect(align(history, null)).toEqual([]);
    });

    it('is shortened to the new end of its source, and never prolonged', () => {
      const history = new ConductHistory();
      inherit(history);
      const addHours = (hours: number) => new Date(history.now.getTime() + hours * HOUR_MS);
      expect(listTypes(align(history, addHours(2)))).toEqual(['SanctionLifted', 'SanctionImposed']);
      expect(history.findLastData('SanctionImposed')).toMatchObject({
        inheritedFrom: SOURCE_SANCTION_ID,
        isAutomatic: true,
      });
      expect(computeStanding(history)).toMatchObject({ kind: 'suspended', until: addHours(2).toISOString() });
      // The same end again, and a later one.
      expect([align(history, addHours(2)), align(history, addHours(3))]).toEqual([[], []]);
      // An end that has passed lifts the sanction.
      expect(align(history, addHours(-1))).toMatchObject([{ data: { noticeId: expect.any(Number) } }]);
      expect(computeStanding(history).kind).toBe('good');
    });
  });

  it('does not join the undecided case, and its appeal may be decided by any moderator', () => {
    const history = new ConductHistory().reportByUsers(1);
    const { caseId } = history;
    inherit(history);
    expect(history.caseId).not.toBe(caseId);
    history.fileAppeal(history.findLastData('SanctionImposed').noticeId);
    history.decideAppeal({ outcome: 'reversed', moderatorId: mod });
    expect(computeStanding(history).kind).toBe('good');
    // Without `CaseOpened`: the report joins the case that is still undecided.
    expect(listTypes(history.report(12))).toEqual(['ReportFiled']);
  });
});

describe('an age question', () => {
  /** Answers the age question, which is asked after a finding of `stated_age`. */
  const answerQuestion = (
    history: ConductHistory,
    answer: 'adult' | 'minor',
    noticeId = history.findLastData('AgeAsked').noticeId,
  ) => history.execute({ type: 'AnswerAgeQuestion', noticeId, answer });

  it('suspends users who answer that they are minors until a moderator has decided', () => {
    const history = new ConductHistory();
    history.execute(createFinding('stated_age'));
    expect(listTypes(answerQuestion(history, 'minor'))).toEqual(['AgeAnswered', 'SanctionImposed']);
    expect(computeStanding(history)).toMatchObject({ kind: 'suspended', until: null });
    history.wait(100 * DAY_MS);
    expect(applyTimeLimits(history)).toEqual([]);
    history.decide('dismissed');
    expect(computeStanding(history).kind).toBe('good');
  });

  it('is answered once, and an unknown notice cannot be answered', () => {
    const history = new ConductHistory();
    history.execute(createFinding('stated_age'));
    answerQuestion(history, 'adult');
    expectRefusal(() => answerQuestion(history, 'minor'), 'already_answered');
    expectRefusal(() => answerQuestion(history, 'minor', UNKNOWN_ID), 'not_found');
  });
});
