import {
  computeStanding,
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

// `ada` is the reported user. By default `mod` decides cases. The file case.rules.ts explains the codes of refusals.

const MINUTE_MS = 60_000;
/** The first two reporters of `reportByUsers`. */
const [firstReporter, secondReporter] = [11, 12] as const;
const UNKNOWN_ID = 999;
/** A history in which five reporters have led to a flag and an automatic suspension of the user. */
const createSuspendedHistory = (): ConductHistory => new ConductHistory().reportByUsers(5);

describe('a claim', () => {
  const claim = (history: ConductHistory, moderatorId: number, caseId = history.caseId) =>
    history.execute({ type: 'ClaimCase', caseId, moderatorId });
  const release = (history: ConductHistory, moderatorId: number) =>
    history.execute({ type: 'ReleaseCase', caseId: history.caseId, moderatorId });
  const addNote = (history: ConductHistory, moderatorId: number) =>
    history.execute({ type: 'AddNote', caseId: history.caseId, moderatorId, text: 'Looks bad' });

  it('keeps other moderators from claiming and deciding the case for 15 minutes', () => {
    const history = new ConductHistory().reportByUsers(1);
    claim(history, mod);
    history.wait(14 * MINUTE_MS);
    expectRefusal(() => claim(history, otherMod), 'claimed');
    expectRefusal(() => history.decide('warned', { moderatorId: otherMod }), 'claimed');
    history.wait(MINUTE_MS);
    expect(listTypes(claim(history, otherMod))).toEqual(['CaseClaimed']);
  });

  it('is renewed for 15 minutes by a note of its moderator', () => {
    const history = new ConductHistory().reportByUsers(1);
    claim(history, mod);
    history.wait(14 * MINUTE_MS);
    addNote(history, mod);
    history.wait(14 * MINUTE_MS);
    expectRefusal(() => claim(history, otherMod), 'claimed');
    expectRefusal(() => history.decide('warned', { moderatorId: otherMod }), 'claimed');
    history.wait(MINUTE_MS);
    expect(listTypes(claim(history, otherMod))).toEqual(['CaseClaimed']);
  });

  it('is not renewed by a note of another moderator', () => {
    const history = new ConductHistory().reportByUsers(1);
    claim(history, mod);
    history.wait(10 * MINUTE_MS);
    addNote(history, otherMod);
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
    expectRefusal(() => claim(history, mod, UNKNOWN_ID), 'not_found');
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

  it('that dismisses a case lifts the flag and the automatic suspension, with one notice for both', () => {
    const history = createSuspendedHistory();
    const events = history.decide('dismissed');
    expect(listTypes(events)).toEqual(['CaseDecided', 'FlagLifted', 'SanctionLifted']);
    const [, flagLifted, sanctionLifted] = events;
    expect(flagLifted?.data).toMatchObject({ noticeId: expect.any(Number) });
    expect(sanctionLifted?.data).toMatchObject({ noticeId: null, cause: 'dismissed' });
    expect(computeStanding(history).kind).toBe('good');
  });

  it('that dismisses a case sends the user no notice when there is no flag or sanction to lift', () => {
    const history = new ConductHistory().reportByUsers(1);
    expect(listTypes(history.decide('dismissed'))).toEqual(['CaseDecided']);
  });

  it('that suspends a user replaces the flag and the automatic suspension, without a notice for them', () => {
    const history = createSuspendedHistory();
    const events = history.decide('suspended');
    expect(listTypes(events)).toEqual(['CaseDecided', 'FlagLifted', 'SanctionLifted', 'SanctionImposed']);
    const [, flagLifted, sanctionLifted] = events;
    expect(flagLifted?.data).toMatchObject({ noticeId: null });
    expect(sanctionLifted?.data).toMatchObject({ noticeId: null, cause: 'replaced' });
  });

  it('that suspends a user for 7 days applies instead of the automatic suspension of 3 days', () => {
    const history = createSuspendedHistory();
    history.decide('suspended');
    history.wait(6 * DAY_MS);
    expect(computeStanding(history).kind).toBe('suspended');
    history.wait(DAY_MS);
    expect(computeStanding(history).kind).toBe('good');
  });

  it('that bans a user has no end', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('banned');
    expect(computeStanding(history)).toMatchObject({ kind: 'banned', until: null });
  });

  it('does not affect other cases and their sanctions', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('suspended');
    // The first case is decided, so this report opens a second one.
    history.report(secondReporter);
    const secondDecision = history.decide('dismissed');
    expect(listTypes(secondDecision)).toEqual(['CaseDecided']);
    expect(computeStanding(history).kind).toBe('suspended');
  });

  it('is refused when the case has changed since the moderator read it', () => {
    const history = new ConductHistory().reportByUsers(1);
    const outdatedDecision = createDecision(history, 'warned');
    history.report(secondReporter);
    expectRefusal(() => history.execute(outdatedDecision), 'case_changed');
  });

  it('is refused when the case is decided already', () => {
    const history = new ConductHistory().reportByUsers(1);
    history.decide('warned');
    expectRefusal(() => history.decide('warned'), 'already_answered');
  });

  it('is refused as outdated when the moderator has not seen the earlier decision', () => {
    const history = new ConductHistory().reportByUsers(1);
    const outdatedDecision = createDecision(history, 'warned');
    history.decide('warned');
    expectRefusal(() => history.execute(outdatedDecision), 'case_changed');
  });

  it.each<[who: string, moderatorId: number, excludedModeratorIds: number[]]>([
    ['the reported user', ada, []],
    ['a reporter', firstReporter, []],
    ['a friend of the user or of a reporter', mod, [mod]],
  ])('is refused to %s, even if there is no other moderator', (_who, moderatorId, excludedModeratorIds) => {
    const history = new ConductHistory().reportByUsers(1);
    // Longer than the 24 hours after which the only moderator may review their own decision.
    history.wait(30 * DAY_MS);
    const changes = { moderatorId, excludedModeratorIds, isOnlyModerator: true };
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

  it('is refused without a rule or facts', () => {
    const history = new ConductHistory().reportByUsers(1);
    expectRefusal(() => history.decide('warned', { rule: null }), 'validation_failed');
    expectRefusal(() => history.decide('warned', { facts: null }), 'validation_failed');
  });

  it('that dismisses a case needs neither a rule nor facts', () => {
    const history = new ConductHistory().reportByUsers(1);
    const events = history.decide('dismissed', { rule: null, facts: null });
    expect(listTypes(events)).toEqual(['CaseDecided']);
  });

  it('under the rule no_illegal places a legal hold, even if it only warns', () => {
    const history = new ConductHistory().reportByUsers(1);
    expect(listTypes(history.decide('warned', { rule: 'no_illegal' }))).toContain('HoldPlaced');
  });

  it.each<[what: string, outcome: 'suspended' | 'warned', placesHold: boolean]>([
    ['that suspends a user places a legal hold', 'suspended', true],
    ['that warns a user places no legal hold', 'warned', false],
  ])('%s after a report about a minor', (_what, outcome, placesHold) => {
    const history = new ConductHistory();
    history.report(firstReporter, { category: 'minor' });
    expect(listTypes(history.decide(outcome)).includes('HoldPlaced')).toBe(placesHold);
  });

  it('that dismisses a case about a stated age does not end the age question', () => {
    const history = new ConductHistory();
    // The finding opens a case and asks the user for their age.
    history.execute(createFinding('stated_age'));
    history.decide('dismissed');
    expect(computeStanding(history).kind).toBe('age_question');
  });
});

describe('an escalation', () => {
  const escalate = (
    history: ConductHistory,
    moderatorId: number,
    { version = history.state.version }: { version?: number } = {},
  ) =>
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
    expect(listTypes(history.decide('warned', { moderatorId: otherMod }))).toContain('CaseDecided');
  });

  it('is refused for a case that is escalated or decided already', () => {
    const history = new ConductHistory().reportByUsers(1);
    escalate(history, mod);
    expectRefusal(() => escalate(history, otherMod), 'already_answered');
    history.decide('warned', { moderatorId: otherMod });
    expectRefusal(() => escalate(history, otherMod), 'already_answered');
  });

  it('lets its moderator decide after 24 hours if there is no other moderator', () => {
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
    expectRefusal(() => escalate(history, mod, { version }), 'case_changed');
  });
});
