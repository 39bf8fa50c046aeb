import {
  applyTimeLimits,
  computeStanding,
  ConductHistory,
  DAY_MS,
  HOUR_MS,
  listTypes,
  mod,
} from '../../../testing/conduct-events.fixture';

/** Two sanctions of other accounts: `ada` inherits the first, the source, and has nothing to do with the second. */
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
