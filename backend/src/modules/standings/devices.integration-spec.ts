// Uses real PostgreSQL and Redis, with an api replica over HTTP.
//
// A device is a browser, which a cookie identifies. A new account of a sanctioned (suspended or banned) user inherits
// the sanction. The new account is recognised by the keys of the sanction: hashes of the user's devices and, once a
// ban is confirmed, of the e-mail address.
import { DataSource } from 'typeorm';
import {
  imposeSanction,
  addHoursToNow,
  liftSanction,
  recordConduct,
  allocateConductId,
} from '../../testing/standings.fixture';
import { type Browser, createEmail, PASSWORD, TestAccounts } from '../../testing/test-accounts.fixture';
import { until } from '../../testing/until.functions';
import { DeviceAccountsService } from './application/device-accounts.service';
import { BanKeyRepository } from './infrastructure/ban-key.repository';
import { DeviceRepository } from './infrastructure/device.repository';

jest.setTimeout(60_000);

const DAY_MS = 86_400_000;
const SHA256_HEX = /^[0-9a-f]{64}$/;

let accounts: TestAccounts;

beforeAll(async () => {
  accounts = await TestAccounts.start();
});
afterAll(() => accounts.close());

const getReplica = () => accounts.api;
const query = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  getReplica().app.get(DataSource).query<Row[]>(text, values);
const findAccountsOnDevicesOf = (userId: number) =>
  getReplica().app.get(DeviceAccountsService).findAccounts(userId);

/** Signs out. The browser keeps its device cookie. */
const signOut = (browser: Browser) => browser.post('/api/logout').expect(204);
/** Creates another account on the device of the browser. */
const startAnotherAccount = async (browser: Browser) => {
  await signOut(browser);
  return (await browser.post('/api/anonymous').expect(201)).body.user as {
    id: number;
    standing: { kind: string; until: string | null; noticeId: number | null };
  };
};

/** Records that a second review has confirmed a ban. */
const confirmBan = (userId: number, sanctionId: number) =>
  recordConduct(getReplica(), userId, 'SanctionConfirmed', {
    sanctionId,
    caseId: null,
    moderatorId: 1,
    isSolo: false,
  });

const readDeviceRows = (userId: number) =>
  query<{ device_hash: string; seen_at: Date }>(
    'SELECT device_hash, seen_at FROM devices WHERE user_id = $1',
    [userId],
  );
/** Makes it look as if the user last used all their devices this number of days ago. */
const setLastUse = (userId: number, daysAgo: number) =>
  query('UPDATE devices SET seen_at = now() - make_interval(days => $2) WHERE user_id = $1', [
    userId,
    daysAgo,
  ]);

const readBanKeys = (sanctionId: number) =>
  query<{ kind: string; key_hash: string; expires_at: Date }>(
    'SELECT kind, key_hash, expires_at FROM ban_keys WHERE sanction_id = $1 ORDER BY kind',
    [sanctionId],
  );
/** The kind of each key, and whether it expires in a year, give or take a minute: the test itself takes time. */
const readKeyLifetimes = async (sanctionId: number) =>
  (await readBanKeys(sanctionId)).map(({ kind, expires_at: expiry }) => ({
    kind,
    lastsAYear: Math.abs(expiry.getTime() - Date.now() - 365 * DAY_MS) < 60_000,
  }));

describe('devices', () => {
  it('are recorded at each login, as a hash', async () => {
    const { userId, email } = await accounts.register();
    const loginElsewhere = await accounts.logIn(email).expect(200);
    // A browser without a device cookie receives one.
    expect(loginElsewhere.get('Set-Cookie')!.join()).toContain('thaw.did=');
    const rows = await readDeviceRows(userId);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row.device_hash).toMatch(SHA256_HEX);
  });

  it('lead to all accounts that were used on them', async () => {
    const { browser, userId, email } = await accounts.register();
    const other = await startAnotherAccount(browser);
    await accounts.logIn(email).expect(200); // on a second device
    expect(await findAccountsOnDevicesOf(userId)).toEqual([userId, other.id]);
    expect(await findAccountsOnDevicesOf(other.id)).toEqual([userId, other.id]);
  });

  it('lead to no other account for a user without devices', async () => {
    const unknownUserId = 999_999_999;
    expect(await findAccountsOnDevicesOf(unknownUserId)).toEqual([unknownUserId]);
  });

  it('count as used when a session on them is extended', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await setLastUse(userId, 40);
    // Old enough for the next request to extend the session.
    await query(`UPDATE sessions SET refreshed_at = now() - interval '2 hours' WHERE user_id = $1`, [userId]);
    await browser.get(`/api/user/${userId}`).expect(200);
    await until(async () => (await readDeviceRows(userId))[0]!.seen_at.getTime() > Date.now() - DAY_MS);
  });

  it('are deleted 180 days after their last use', async () => {
    const { userId: unusedId } = await accounts.startAnonymousUser();
    const { userId: recentId } = await accounts.startAnonymousUser();
    await setLastUse(unusedId, 181);
    await setLastUse(recentId, 179);
    await getReplica().app.get(DeviceRepository).deleteUnused();
    expect(await readDeviceRows(unusedId)).toEqual([]);
    expect(await readDeviceRows(recentId)).toHaveLength(1);
  });
});

describe('keys of a sanction', () => {
  it('are deleted when they expire', async () => {
    const banKeys = getReplica().app.get(BanKeyRepository);
    const { userId } = await accounts.startAnonymousUser();
    const { sanctionId } = await imposeSanction(getReplica(), userId);
    await banKeys.deleteExpired();
    // The only key is the device of the user.
    expect(await readBanKeys(sanctionId)).toHaveLength(1);
    await query('UPDATE ban_keys SET expires_at = now() WHERE sanction_id = $1', [sanctionId]);
    expect(await banKeys.deleteExpired()).toBe(1);
    expect(await readBanKeys(sanctionId)).toEqual([]);
  });

  it('are hashes of the devices used in the last 30 days, and expire when the sanction ends', async () => {
    const { userId, email } = await accounts.register();
    await setLastUse(userId, 31);
    const [unusedDevice] = await readDeviceRows(userId);
    await accounts.logIn(email).expect(200); // on a second device
    const usedDevice = (await readDeviceRows(userId)).find(
      ({ device_hash: hash }) => hash !== unusedDevice!.device_hash,
    );
    const end = addHoursToNow(5);
    const { sanctionId } = await imposeSanction(getReplica(), userId, { until: end });
    expect(await readBanKeys(sanctionId)).toEqual([
      { kind: 'device', key_hash: usedDevice!.device_hash, expires_at: end },
    ]);
  });

  it('are deleted when the sanction is lifted', async () => {
    const { userId } = await accounts.startAnonymousUser();
    const { sanctionId } = await imposeSanction(getReplica(), userId);
    expect(await readBanKeys(sanctionId)).toHaveLength(1);
    await liftSanction(getReplica(), userId, sanctionId);
    expect(await readBanKeys(sanctionId)).toEqual([]);
  });

  it('last a year for a ban; confirming the ban restarts the year and adds the e-mail address', async () => {
    const { userId } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    expect(await readKeyLifetimes(sanctionId)).toEqual([{ kind: 'device', lastsAYear: true }]);
    await query(`UPDATE ban_keys SET expires_at = now() + interval '3 days' WHERE sanction_id = $1`, [
      sanctionId,
    ]);
    await confirmBan(userId, sanctionId);
    expect(await readKeyLifetimes(sanctionId)).toEqual([
      { kind: 'device', lastsAYear: true },
      { kind: 'email', lastsAYear: true },
    ]);
  });

  it('contain the e-mail address only as a hash', async () => {
    const { userId, email } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    await confirmBan(userId, sanctionId);
    const keys = await readBanKeys(sanctionId);
    expect(keys.find(({ kind }) => kind === 'email')?.key_hash).toMatch(SHA256_HEX);
    expect(JSON.stringify(keys)).not.toContain(email);
  });

  it('no longer include the e-mail address when an appeal reduces a ban to a suspension', async () => {
    const { userId } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    await confirmBan(userId, sanctionId);
    expect(await readBanKeys(sanctionId)).toMatchObject([{ kind: 'device' }, { kind: 'email' }]);
    const end = addHoursToNow(24);
    // The notice, case and moderator ids are arbitrary, because the keys do not depend on them.
    await recordConduct(getReplica(), userId, 'AppealDecided', {
      appealId: await allocateConductId(getReplica()),
      noticeId: 1,
      answerNoticeId: await allocateConductId(getReplica()),
      caseId: 1,
      moderatorId: 1,
      outcome: 'reduced',
      sanctionId,
      until: end.toISOString(),
      isSolo: false,
      answer: 'A day is enough for this one.',
    });
    expect(await readBanKeys(sanctionId)).toMatchObject([{ kind: 'device', expires_at: end }]);
  });
});

describe('a new account', () => {
  it('on the device of a suspended user is suspended until the same time, with a separate notice', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const end = addHoursToNow(3);
    const { sanctionId, noticeId } = await imposeSanction(getReplica(), userId, { until: end });
    const { id, standing } = await startAnotherAccount(browser);
    expect(standing).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    expect(standing.noticeId).not.toBe(noticeId);
    expect(await query('SELECT inherited_from FROM sanctions WHERE user_id = $1', [id])).toEqual([
      { inherited_from: String(sanctionId) },
    ]);
  });

  it('on the device of a suspended user is also suspended if it is registered instead of anonymous', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const end = addHoursToNow(3);
    await imposeSanction(getReplica(), userId, { until: end });
    await startAnotherAccount(browser);
    await signOut(browser);
    const credentials = { email: createEmail(), password: PASSWORD };
    const { user } = (await browser.post('/api/register').send(credentials).expect(201)).body;
    expect(user.standing).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    await browser.get(`/api/friends/${user.id}`).expect(403); // suspended users cannot list their friends
  });

  it('with the e-mail address of a banned user, in any letter case, is banned on any device', async () => {
    const { userId, email } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    await confirmBan(userId, sanctionId);
    await query('UPDATE users SET email = NULL WHERE id = $1', [userId]); // as if the account were deleted
    const credentials = { email: email.toUpperCase(), password: PASSWORD };
    const response = await accounts.openBrowser().post('/api/register').send(credentials).expect(201);
    expect(response.body.user.standing).toMatchObject({ kind: 'banned', until: null });
  });

  it('does not inherit a sanction of a user of another device', async () => {
    const { userId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), userId);
    const { userId: idOnOtherDevice } = await accounts.startAnonymousUser();
    // A user without a row is in good standing.
    expect(await query('SELECT 1 FROM standings WHERE user_id = $1', [idOnOtherDevice])).toEqual([]);
  });

  it('does not inherit a sanction that was lifted', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const { sanctionId } = await imposeSanction(getReplica(), userId);
    await liftSanction(getReplica(), userId, sanctionId);
    expect((await startAnotherAccount(browser)).standing.kind).toBe('good');
  });

  it('does not inherit a sanction that has ended', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), userId, { until: new Date(Date.now() + 50) });
    await until(
      () => query('SELECT 1 FROM sanctions WHERE user_id = $1 AND until <= now()', [userId]),
      ({ length }) => length > 0,
    );
    expect((await startAnotherAccount(browser)).standing.kind).toBe('good');
  });

  it('is flagged when at least ten others were created on its device within a day', async () => {
    const { browser } = await accounts.startAnonymousUser();
    for (let number = 2; number <= 10; number += 1)
      expect((await startAnotherAccount(browser)).standing.kind).toBe('good');
    // The eleventh and the twelfth account. `care`: flagged.
    expect((await startAnotherAccount(browser)).standing.kind).toBe('care');
    expect((await startAnotherAccount(browser)).standing.kind).toBe('care');
  });

  it('is not created when its inherited sanction cannot be imposed', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), userId);
    await signOut(browser);
    const countUsers = () => query('SELECT count(*) FROM users');
    const before = await countUsers();
    // A sanction is imposed together with its keys, so it fails when `addDevices` fails.
    const failingAddDevices = jest
      .spyOn(getReplica().app.get(BanKeyRepository), 'addDevices')
      .mockRejectedValueOnce(new Error('PostgreSQL is unreachable'));
    await browser.post('/api/anonymous').expect(500);
    expect(failingAddDevices).toHaveBeenCalled();
    expect(await countUsers()).toEqual(before);
  });
});

describe('an existing account', () => {
  it('does not inherit a sanction when its user signs in on the device', async () => {
    const { email } = await accounts.register();
    const { browser, userId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), userId);
    await signOut(browser);
    const login = await accounts.logIn(email, { browser }).expect(200);
    expect(login.body.user.standing.kind).toBe('good');
  });

  it('does not inherit a sanction of its device when it becomes registered', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const anonymous = await startAnotherAccount(browser);
    await imposeSanction(getReplica(), userId);
    const credentials = { userId: anonymous.id, email: createEmail(), password: PASSWORD };
    const converted = await browser.post('/api/convert-anonymous').send(credentials).expect(200);
    expect(converted.body.user.standing.kind).toBe('good');
  });
});
