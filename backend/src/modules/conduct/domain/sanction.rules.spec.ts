import type { DomainErrorCode } from '../../../platform/errors/domain.errors';
import {
  ada,
  applyTimeLimits,
  computeStanding,
  ConductHistory,
  createBannedHistory,
  createConfirmation,
  createFinding,
  DAY_MS,
  listTypes,
  mod,
  otherMod,
} from '../../../testing/conduct-events.fixture';
import { expectRefusal } from '../../../testing/refusal.functions';

// All cases are about `ada`. By default `mod` decides cases and `otherMod` confirms bans. Moderators who are involved
// in the case, or would review their own decision, are refused with `own_decision`.

/** The user who has filed the report of `createBannedHistory`. */
const firstReporter = 11;
const UNKNOWN_ID = 999;

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

  /** Expects that a confirmation with these changes is refused. */
  const expectRefusedConfirmation = (
    changes: Parameters<typeof createConfirmation>[1],
    code: DomainErrorCode,
  ): void => {
    const history = createBannedHistory();
    expectRefusal(() => history.execute(createConfirmation(history, changes)), code);
  };

  it('cannot be confirmed by a reporter, the banned user or a friend of a user of the case', () => {
    expectRefusedConfirmation({ moderatorId: firstReporter }, 'own_decision');
    expectRefusedConfirmation({ moderatorId: ada }, 'own_decision');
    // The caller of the rules passes the moderators who are friends of a user of the case.
    expectRefusedConfirmation({ excludedModeratorIds: [otherMod] }, 'own_decision');
  });

  it('cannot be confirmed by a moderator who has seen an old version of the history', () => {
    expectRefusedConfirmation({ version: 1 }, 'case_changed');
  });

  it('cannot be confirmed in an unknown case', () => {
    expectRefusedConfirmation({ caseId: UNKNOWN_ID }, 'not_found');
  });
});

describe('lifting a sanction', () => {
  const lift = (history: ConductHistory, changes: { sanctionId?: number; moderatorId?: number } = {}) =>
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
  });

  it('leaves no ban to confirm', () => {
    const history = createBannedHistory();
    lift(history);
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

describe('an age question', () => {
  /** Answers the age question, which is asked after a finding of `stated_age`. */
  const answerQuestion = (
    history: ConductHistory,
    answer: 'adult' | 'minor',
    noticeId = history.findLastData('AgeAsked').noticeId,
  ) => history.execute({ type: 'AnswerAgeQuestion', noticeId, answer });

  it('suspends users who answer that they are minors; the suspension lasts until a moderator has decided', () => {
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
