import {
  createDecision,
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

// By default `mod` decides cases. `own_decision` refuses moderators who are involved in the case or have made the
// decision. `already_answered` refuses an action because the case is decided, or is already escalated.

const MINUTE_MS = 60_000;
/** The first two reporters of `reportByUsers`. */
const [firstReporter, secondReporter] = [11, 12] as const;
const UNKNOWN_ID = 999;
const computeStandingKind = ({ state, now }: ConductHistory) => computeStandingAt(state.standing, now).kind;

describe('a claim', () => {
  const claim = (history: ConductHistory, moderatorId: number) =>
    history.execute({ type: 'ClaimCase', caseId: history.caseId, moderatorId });
  const release = (history: ConductHistory, moderatorId: number) =>
    history.execute({ type: 'ReleaseCase', caseId: history.caseId, moderatorId });

  it('refuses other moderators for 15 minutes after the last act of its moderator', () => {
    const history = new ConductHistory().reportByUsers(1);
    claim(history, mod);
    history.wait(14 * MINUTE_MS);
    expectRefusal(() => claim(history, otherMod), 'claimed');
    history.execute({ type: 'AddNote', caseId: history.caseId, moderatorId: mod, text: 'Looks bad' });
    history.wait(14 * MINUTE_MS);
    expectRefusal(() => history.decide('warned', { moderatorId: otherMod }), 'claimed');
    history.wait(MINUTE_MS);
    expect(listTypes(claim(history, otherMod))).toEqual(['CaseClaimed']);
  });

  it('is not renewed by the note of another moderator', () => {
    const history = new ConductHistory().reportByUsers(1);
    claim(history, mod);
    history.wait(10 * MINUTE_MS);
    history.execute({ type: 'AddNote', caseId: history.caseId, moderatorId: otherMod, text: 'I agree' });
    history.wait(5 * MINUTE_MS);
    expect(listTypes(claim(history, otherMod))).toEqual(['CaseClaimed']);
  });

  it('is released by its moderator only', () => {
    const history = new ConductHistory().reportByUsers(1);
    claim(history, mod);
    expectRefusal(() => release(history, otherMod), 'claimed');
    expect(listTypes(release(history, mod))).toEqual(['CaseReleased']);
    expect(release(history, mod)).toEqual([]);
    expect(listTypes(claim(history, otherMod))).toEqual(['CaseClaimed']);
  });

  it('is refused to the reporters and to the reported user', () => {
    const history = new ConductHistory().reportByUsers(1);
    expectRefusal(() => claim(history, firstReporter), 'own_decision');
    expectRefusal(() => claim(history, ada), 'own_decision');
  });

  it('is refused for a decided case until an appeal is filed', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('warned');
    expectRefusal(() => claim(history, mod), 'already_answered');
    history.fileAppeal(history.findLastData('PersonWarned').noticeId);
    expect(listTypes(claim(history, otherMod))).toEqual(['CaseClaimed']);
  });

  it('is refused for an unknown case', () => {
    const history = new ConductHistory().reportByUsers(1);
    expectRefusal(
      () => history.execute({ type: 'ClaimCase', caseId: UNKNOWN_ID, moderatorId: mod }),
      'not_found',
    );
  });
});

describe('a decision', () => {
  it('has a notice for every reporter, and states the rule and the facts', () => {
    const history = new ConductHistory().reportByUsers(2);
    const [decided, warned] = history.decide('warned', { note: 'First time' });
    expect(decided).toMatchObject({
      type: 'CaseDecided',
      data: {
        moderatorId: mod,
        outcome: 'warned',
        rule: 'no_hate',
        facts: 'You insulted your partner.',
        note: 'First time',
        reports: [
          { reporterId: firstReporter, noticeId: expect.any(Number) },
          { reporterId: secondReporter, noticeId: expect.any(Number) },
        ],
      },
    });
    expect(warned).toMatchObject({
      type: 'PersonWarned',
      data: { noticeId: expect.any(Number), rule: 'no_hate' },
    });
  });

  it('that dismisses the case lifts the flag and the automatic suspension, with one notice', () => {
    // Five reporters flag and suspend a user.
    const history = new ConductHistory().reportByUsers(5);
    const events = history.decide('dismissed');
    expect(listTypes(events)).toEqual(['CaseDecided', 'FlagLifted', 'SanctionLifted']);
    expect(events[1]?.data).toMatchObject({ noticeId: expect.any(Number) });
    expect(events[2]?.data).toMatchObject({ noticeId: null, cause: 'dismissed' });
    expect(computeStandingKind(history)).toBe('good');
  });

  it('that dismisses a case sends the user no notice when there is no flag or sanction to lift', () => {
    const history = new ConductHistory().reportByUsers(1);
    expect(listTypes(history.decide('dismissed'))).toEqual(['CaseDecided']);
  });

  it('that suspends for 7 days replaces the flag and the automatic suspension', () => {
    // Five reporters flag and suspend a user.
    const history = new ConductHistory().reportByUsers(5);
    const events = history.decide('suspended');
    expect(listTypes(events)).toEqual(['CaseDecided', 'FlagLifted', 'SanctionLifted', 'SanctionImposed']);
    expect(events[1]?.data).toMatchObject({ noticeId: null });
    expect(events[2]?.data).toMatchObject({ noticeId: null, cause: 'replaced' });
    history.wait(6 * DAY_MS);
    expect(computeStandingKind(history)).toBe('suspended');
    history.wait(DAY_MS);
    expect(computeStandingKind(history)).toBe('good');
  });

  it('bans without an end', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('banned');
    expect(computeStandingAt(history.state.standing, history.now)).toMatchObject({
      kind: 'banned',
      until: null,
    });
  });

  it('does not affect other cases and their sanctions', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('suspended');
    // The first case is decided, so this report opens a second one, which the next decision is about.
    history.report(secondReporter);
    expect(listTypes(history.decide('dismissed'))).toEqual(['CaseDecided']);
    expect(computeStandingKind(history)).toBe('suspended');
  });

  it('is refused when the case has changed since the moderator read it, and when it is decided', () => {
    const history = new ConductHistory().reportByUsers(1);
    const outdatedDecision = createDecision(history, 'warned');
    history.report(secondReporter);
    expectRefusal(() => history.execute(outdatedDecision), 'case_changed');
    history.decide('warned');
    expectRefusal(() => history.execute(createDecision(history, 'warned')), 'already_answered');
    // The version is checked before the state of the case.
    expectRefusal(() => history.execute(outdatedDecision), 'case_changed');
  });

  it.each<[who: string, moderatorId: number, excludedModeratorIds: number[]]>([
    ['the reported user', ada, []],
    ['a reporter', firstReporter, []],
    ['a friend of the user or of a reporter', mod, [mod]],
  ])('is refused to %s', (_who, moderatorId, excludedModeratorIds) => {
    const history = new ConductHistory().reportByUsers(1);
    // The only moderator may review their own decision after 24 hours, but not decide a case that involves them.
    const changes = { moderatorId, excludedModeratorIds, isOnlyModerator: true };
    history.wait(30 * DAY_MS);
    expectRefusal(() => history.decide('warned', changes), 'own_decision');
  });

  it.each<[what: string, outcome: 'suspended' | 'banned' | 'warned', durationMs: number | null]>([
    ['a suspension without an end', 'suspended', null],
    ['a suspension of less than an hour', 'suspended', HOUR_MS - 1],
    ['a suspension of more than 365 days', 'suspended', 365 * DAY_MS + 1],
    ['a ban with an end', 'banned', DAY_MS],
    ['a warning with an end', 'warned', DAY_MS],
  ])('is refused for %s', (_what, outcome, durationMs) => {
    const history = new ConductHistory().reportByUsers(1);
    const until = durationMs === null ? null : new Date(history.now.getTime() + durationMs);
    expectRefusal(() => history.decide(outcome, { until }), 'validation_failed');
  });

  it('is refused without a rule or facts, unless it dismisses', () => {
    const history = new ConductHistory().reportByUsers(1);
    expectRefusal(() => history.decide('warned', { rule: null }), 'validation_failed');
    expectRefusal(() => history.decide('warned', { facts: null }), 'validation_failed');
    expect(listTypes(history.decide('dismissed'))).toEqual(['CaseDecided']);
  });

  it('with the rule no_illegal places a legal hold, which keeps the evidence', () => {
    const history = new ConductHistory().reportByUsers(1);
    expect(listTypes(history.decide('warned', { rule: 'no_illegal' }))).toContain('HoldPlaced');
  });

  it('places a legal hold for a sanction, but not for a warning, after a report about a minor', () => {
    const suspended = new ConductHistory();
    suspended.report(firstReporter, { category: 'minor' });
    expect(listTypes(suspended.decide('suspended'))).toContain('HoldPlaced');
    const warned = new ConductHistory();
    warned.report(firstReporter, { category: 'minor' });
    expect(listTypes(warned.decide('warned'))).not.toContain('HoldPlaced');
  });

  it('that dismisses a case about a stated age does not end the age question', () => {
    const history = new ConductHistory();
    // The finding opens a case and asks the user for their age.
    history.execute(createFinding('stated_age'));
    history.decide('dismissed');
    expect(computeStandingKind(history)).toBe('age_question');
  });
});

describe('an escalation', () => {
  const escalate = (history: ConductHistory, moderatorId: number, version = history.state.version) =>
    history.execute({
      type: 'EscalateCase',
      caseId: history.caseId,
      moderatorId,
      version,
      reason: 'I know them',
    });

  it('leaves the decision to another moderator', () => {
    const history = new ConductHistory().reportByUsers(1);
    escalate(history, mod);
    expectRefusal(() => history.decide('warned'), 'own_decision');
    expectRefusal(() => escalate(history, otherMod), 'already_answered');
    expect(listTypes(history.decide('warned', { moderatorId: otherMod }))).toContain('CaseDecided');
    expectRefusal(() => escalate(history, otherMod), 'already_answered');
  });

  it('leaves the decision to the only moderator after 24 hours', () => {
    const history = new ConductHistory().reportByUsers(1);
    escalate(history, mod);
    history.wait(DAY_MS - 1);
    expectRefusal(() => history.decide('warned', { isOnlyModerator: true }), 'own_decision');
    history.wait(1);
    expect(listTypes(history.decide('warned', { isOnlyModerator: true }))).toContain('CaseDecided');
  });

  it('is refused when the case has changed since the moderator read it', () => {
    const history = new ConductHistory().reportByUsers(1);
    const { version } = history.state;
    history.report(secondReporter);
    expectRefusal(() => escalate(history, mod, version), 'case_changed');
  });
});
