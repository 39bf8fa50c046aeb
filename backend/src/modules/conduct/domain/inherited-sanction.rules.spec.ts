import {
  applyTimeLimits,
  computeStanding,
  ConductHistory,
  DAY_MS,
  HOUR_MS,
  listTypes,
  mod,
} from '../../../testing/conduct-events.fixture';

/**
 * A new account of a sanctioned user inherits the sanction of the user's other account. These are two sanctions of
 * other accounts: the user under test inherits the first, the source, and has nothing to do with the second.
 */
const SOURCE_SANCTION_ID = 77;
const OTHER_SANCTION_ID = 78;

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

  it('is imposed automatically, in a decided case of its own', () => {
    const history = new ConductHistory();
    expect(listTypes(inherit(history))).toEqual(['CaseOpened', 'CaseDecided', 'SanctionImposed']);
    expect(history.findLastData('SanctionImposed')).toMatchObject({
      inheritedFrom: SOURCE_SANCTION_ID,
      isAutomatic: true,
    });
  });

  it('is imposed only once', () => {
    const history = new ConductHistory();
    inherit(history);
    expect(inherit(history)).toEqual([]);
  });

  it('needs no confirmation: a ban stays, although no second moderator confirms it', () => {
    const history = new ConductHistory();
    inherit(history);
    history.wait(100 * DAY_MS);
    expect(applyTimeLimits(history)).toEqual([]);
    expect(computeStanding(history).kind).toBe('banned');
  });

  describe('whose source was lifted or shortened', () => {
    const align = (history: ConductHistory, sourceEnd: Date | 'lifted', sourceId = SOURCE_SANCTION_ID) =>
      history.execute({ type: 'AlignInheritedSanction', sourceId, sourceEnd });

    it('is lifted once when the source is lifted, with a notice', () => {
      const history = new ConductHistory();
      inherit(history);
      expect(align(history, 'lifted', OTHER_SANCTION_ID)).toEqual([]);
      expect(align(history, 'lifted')).toMatchObject([
        { type: 'SanctionLifted', data: { cause: 'source_ended', noticeId: expect.any(Number) } },
      ]);
      expect(computeStanding(history).kind).toBe('good');
      expect(align(history, 'lifted')).toEqual([]);
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
    const undecidedCaseId = history.caseId;
    inherit(history);
    const inheritedCaseId = history.caseId; // the id of the last case
    expect(inheritedCaseId).not.toBe(undecidedCaseId);
    history.fileAppeal(history.findLastData('SanctionImposed').noticeId);
    history.decideAppeal({ outcome: 'reversed', moderatorId: mod });
    expect(computeStanding(history).kind).toBe('good');
    // Without `CaseOpened`: the report joins the case that is still undecided.
    expect(listTypes(history.report(12))).toEqual(['ReportFiled']);
  });
});
