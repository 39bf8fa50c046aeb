// Uses real PostgreSQL and Redis, with an api replica over HTTP. A sanction (a suspension or ban) has keys: hashes of
// the user's devices and, for a confirmed ban, of the e-mail address. A new account that matches a key inherits the
// sanction.
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

let accounts: TestAccounts;

beforeAll(async () => {
  accounts = await TestAccounts.start();
});
afterAll(() => accounts.close());

const getReplica = () => accounts.api;
const query = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  accounts.api.app.get(DataSource).query<Row[]>(text, values);
const getDeviceAccounts = () => accounts.api.app.get(DeviceAccountsService);

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
const readBanKeys = (sanctionId: number) =>
  query<{ kind: string; key_hash: string; expires_at: Date }>(
    'SELECT kind, key_hash, expires_at FROM ban_keys WHERE sanction_id = $1 ORDER BY kind',
    [sanctionId],
  );

describe('devices', () => {
  it('each login records a hash of its device, and accounts with a device in common are found', async () => {
    const { browser, userId, email } = await accounts.register();
    const second = await startAnotherAccount(browser);
    const loginElsewhere = await accounts.logIn(email).expect(200);
    // The device cookie, which a browser without one receives.
    expect(loginElsewhere.get('Set-Cookie')!.join()).toContain('thaw.did=');
    expect(await readDeviceRows(userId)).toHaveLength(2);
    const [row] = await readDeviceRows(second.id);
    expect(row?.device_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await getDeviceAccounts().findAccounts(userId)).toEqual([userId, second.id]);
    expect(await getDeviceAccounts().findAccounts(second.id)).toEqual([userId, second.id]);
    const unknownUserId = 999_999_999;
    expect(await getDeviceAccounts().findAccounts(unknownUserId)).toEqual([unknownUserId]);
  });

  it('extending a session counts as a use of the device', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await query(`UPDATE devices SET seen_at = now() - interval '40 days' WHERE user_id = $1`, [userId]);
    // Old enough for the next request to extend the session.
    await query(`UPDATE sessions SET refreshed_at = now() - interval '2 hours' WHERE user_id = $1`, [userId]);
    await browser.get(`/api/user/${userId}`).expect(200);
    await until(async () => (await readDeviceRows(userId))[0]!.seen_at.getTime() > Date.now() - DAY_MS);
  });

  it('devices are deleted 180 days after their last use', async () => {
    const [unused, recent] = [await accounts.startAnonymousUser(), await accounts.startAnonymousUser()];
    await query(`UPDATE devices SET seen_at = now() - interval '181 days' WHERE user_id = $1`, [
      unused.userId,
    ]);
    await query(`UPDATE devices SET seen_at = now() - interval '179 days' WHERE user_id = $1`, [
      recent.userId,
    ]);
    await accounts.api.app.get(DeviceRepository).deleteUnused();
    expect(await readDeviceRows(unused.userId)).toEqual([]);
    expect(await readDeviceRows(recent.userId)).toHaveLength(1);
  });
});

describe('keys of a sanction', () => {
  it('keys are deleted when they expire', async () => {
    const { userId } = await accounts.startAnonymousUser();
    const { sanctionId } = await imposeSanction(getReplica(), userId);
    expect(await accounts.api.app.get(BanKeyRepository).deleteExpired()).toBe(0);
    // The only key of the sanction is the device of the user.
    await query('UPDATE ban_keys SET expires_at = now() WHERE sanction_id = $1', [sanctionId]);
    expect(await accounts.api.app.get(BanKeyRepository).deleteExpired()).toBe(1);
  });

  it('a sanction has the devices of the last 30 days as keys until it ends or is lifted', async () => {
    const { userId, email } = await accounts.register();
    const usedDevice = (await readDeviceRows(userId))[0]!.device_hash;
    // A second device, which was last used 31 days ago.
    await accounts.logIn(email).expect(200);
    await query(
      `UPDATE devices SET seen_at = now() - interval '31 days' WHERE user_id = $1 AND device_hash <> $2`,
      [userId, usedDevice],
    );
    const end = addHoursToNow(5);
    const { sanctionId } = await imposeSanction(getReplica(), userId, { until: end });
    expect(await readBanKeys(sanctionId)).toEqual([
      { kind: 'device', key_hash: usedDevice, expires_at: end },
    ]);
    await liftSanction(getReplica(), userId, sanctionId);
    expect(await readBanKeys(sanctionId)).toEqual([]);
  });

  it('the keys of a ban last a year; a confirmation renews them and adds an e-mail key', async () => {
    const { userId, email } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    // Within a minute, since the test itself takes time.
    const isInAYear = (date: Date) => Math.abs(date.getTime() - Date.now() - 365 * DAY_MS) < 60_000;
    const [device] = await readBanKeys(sanctionId);
    expect([device?.kind, isInAYear(device!.expires_at)]).toEqual(['device', true]);
    await query(`UPDATE ban_keys SET expires_at = now() + interval '3 days' WHERE sanction_id = $1`, [
      sanctionId,
    ]);
    await confirmBan(userId, sanctionId);
    const keys = await readBanKeys(sanctionId);
    expect(keys.map(({ kind, expires_at: end }) => [kind, isInAYear(end)])).toEqual([
      ['device', true],
      ['email', true],
    ]);
    expect(keys[1]?.key_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(keys)).not.toContain(email);
  });

  it('the e-mail key of a ban is removed when an appeal reduces the ban to a suspension', async () => {
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

describe('new accounts', () => {
  it('a new account on the device of a suspended user is suspended until the same time, with a separate notice', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const end = addHoursToNow(3);
    const { sanctionId, noticeId } = await imposeSanction(getReplica(), userId, { until: end });
    const second = await startAnotherAccount(browser);
    expect(second.standing).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    expect(second.standing.noticeId).not.toBe(noticeId);
    const readInherited = () =>
      query<{ inherited_from: string }>('SELECT inherited_from FROM sanctions WHERE user_id = $1', [
        second.id,
      ]);
    expect(await readInherited()).toEqual([{ inherited_from: String(sanctionId) }]);
    // Registered accounts inherit the sanction as well.
    await signOut(browser);
    const third = await browser
      .post('/api/register')
      .send({ email: createEmail(), password: PASSWORD })
      .expect(201);
    expect(third.body.user.standing).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    await browser.get(`/api/friends/${third.body.user.id}`).expect(403);
  });

  it('a new account with the e-mail address of a banned user, in any letter case, is banned on any device', async () => {
    const { userId, email } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    await confirmBan(userId, sanctionId);
    await query('UPDATE users SET email = NULL WHERE id = $1', [userId]); // as if the account were deleted
    const credentials = { email: email.toUpperCase(), password: PASSWORD };
    const response = await accounts.openBrowser().post('/api/register').send(credentials).expect(201);
    expect(response.body.user.standing).toMatchObject({ kind: 'banned', until: null });
  });

  it('a new account does not inherit a sanction that was lifted, has ended, or belongs to another device', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const { sanctionId } = await imposeSanction(getReplica(), userId);
    const { userId: idOnOtherDevice } = await accounts.startAnonymousUser();
    // A user without a row is in good standing.
    expect(await query('SELECT 1 FROM standings WHERE user_id = $1', [idOnOtherDevice])).toEqual([]);
    await liftSanction(getReplica(), userId, sanctionId);
    expect((await startAnotherAccount(browser)).standing.kind).toBe('good');
    const { browser: secondBrowser, userId: secondId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), secondId, { until: new Date(Date.now() + 50) });
    await until(
      () => query('SELECT 1 FROM sanctions WHERE user_id = $1 AND until <= now()', [secondId]),
      ({ length }) => length > 0,
    );
    expect((await startAnotherAccount(secondBrowser)).standing.kind).toBe('good');
  });

  it('existing accounts do not inherit a sanction when they sign in on the device or become registered', async () => {
    const registered = await accounts.register();
    const { browser, userId: sanctionedId } = await accounts.startAnonymousUser();
    await signOut(browser);
    const anonymous = await browser.post('/api/anonymous').expect(201);
    await imposeSanction(getReplica(), sanctionedId);
    const credentials = { userId: anonymous.body.user.id, email: createEmail(), password: PASSWORD };
    const converted = await browser.post('/api/convert-anonymous').send(credentials).expect(200);
    expect(converted.body.user.standing.kind).toBe('good');
    await signOut(browser);
    const login = await accounts.logIn(registered.email, { browser }).expect(200);
    expect(login.body.user.standing.kind).toBe('good');
  });

  it('a new account is flagged when at least ten others were created on its device within a day', async () => {
    const { browser } = await accounts.startAnonymousUser();
    // The standings of the second to the twelfth account. The eleventh is the first one with ten others before it.
    const kinds: string[] = [];
    for (let count = 2; count <= 12; count += 1)
      kinds.push((await startAnotherAccount(browser)).standing.kind);
    expect(kinds).toEqual([...Array<string>(9).fill('good'), 'care', 'care']); // `care`: flagged
  });

  it('an account is not created when its inherited sanction cannot be imposed', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), userId);
    await signOut(browser);
    const [{ count: before }] = (await query<{ count: string }>('SELECT count(*) FROM users')) as [
      { count: string },
    ];
    // A sanction is imposed together with its keys, so it fails when `addDevices` fails.
    const failingAddDevices = jest
      .spyOn(accounts.api.app.get(BanKeyRepository), 'addDevices')
      .mockRejectedValueOnce(new Error('PostgreSQL is unreachable'));
    await browser.post('/api/anonymous').expect(500);
    expect(failingAddDevices).toHaveBeenCalled();
    expect(await query('SELECT count(*) FROM users')).toEqual([{ count: before }]);
  });
});
