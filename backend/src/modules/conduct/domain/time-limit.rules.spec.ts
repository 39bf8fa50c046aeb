import {
  applyTimeLimits,
  computeStanding,
  ConductHistory,
  createBannedHistory,
  createConfirmation,
  DAY_MS,
  HOUR_MS,
  listTypes,
} from '../../../testing/conduct-events.fixture';

describe('a ban', () => {
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
