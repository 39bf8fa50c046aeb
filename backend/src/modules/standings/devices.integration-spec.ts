// Uses real PostgreSQL and Redis, with an api replica over HTTP.
import { DataSource } from 'typeorm';
import {
  imposeSanction,
  addHours,
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
const getDevices = () => accounts.api.app.get(DeviceAccountsService);

/** Clears the login, and keeps the device cookie. */
const forgetLogin = (browser: Browser) => browser.post('/api/logout').expect(204);
const startAnother = async (browser: Browser) => {
  await forgetLogin(browser);
  return (await browser.post('/api/anonymous').expect(201)).body.user as {
    id: number;
    standing: { kind: string; until: string | null; noticeId: number | null };
  };
};
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

describe('the devices of an account', () => {
  it('are recorded when a login begins, by a hash, and connect the accounts of a browser', async () => {
    const { browser, userId, email } = await accounts.register();
    const second = await startAnother(browser);
    const elsewhere = await accounts.logIn(email).expect(200);
    expect(elsewhere.get('Set-Cookie')!.join()).toContain('thaw.did=');
    expect(await readDeviceRows(userId)).toHaveLength(2);
    const [row] = await readDeviceRows(second.id);
    expect(row?.device_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await getDevices().findAccounts(userId)).toEqual([userId, second.id]);
    expect(await getDevices().findAccounts(second.id)).toEqual([userId, second.id]);
    expect(await getDevices().findAccounts(999_999_999)).toEqual([999_999_999]);
  });

  it('count as used while a session of the browser is extended', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await query(`UPDATE devices SET seen_at = now() - interval '40 days' WHERE user_id = $1`, [userId]);
    await query(`UPDATE sessions SET refreshed_at = now() - interval '2 hours' WHERE user_id = $1`, [userId]);
    await browser.get(`/api/user/${userId}`).expect(200);
    await until(async () => (await readDeviceRows(userId))[0]!.seen_at.getTime() > Date.now() - DAY_MS);
  });

  it('are forgotten 180 days after their last use, and keys of sanctions at their end', async () => {
    const [old, recent] = [await accounts.startAnonymousUser(), await accounts.startAnonymousUser()];
    const { sanctionId } = await imposeSanction(getReplica(), old.userId);
    await query(`UPDATE devices SET seen_at = now() - interval '181 days' WHERE user_id = $1`, [old.userId]);
    await query(`UPDATE devices SET seen_at = now() - interval '179 days' WHERE user_id = $1`, [
      recent.userId,
    ]);
    await accounts.api.app.get(DeviceRepository).deleteUnused();
    expect(await readDeviceRows(old.userId)).toEqual([]);
    expect(await readDeviceRows(recent.userId)).toHaveLength(1);
    expect(await accounts.api.app.get(BanKeyRepository).deleteExpired()).toBe(0);
    await query('UPDATE ban_keys SET expires_at = now() WHERE sanction_id = $1', [sanctionId]);
    expect(await accounts.api.app.get(BanKeyRepository).deleteExpired()).toBe(1);
  });
});

describe('the keys of a sanction', () => {
  it('are the devices used within 30 days, until its end', async () => {
    const { browser, userId, email } = await accounts.register();
    const used = (await readDeviceRows(userId))[0]!.device_hash;
    await accounts.logIn(email).expect(200);
    await query(
      `UPDATE devices SET seen_at = now() - interval '31 days' WHERE user_id = $1 AND device_hash <> $2`,
      [userId, used],
    );
    const end = addHours(5);
    const { sanctionId } = await imposeSanction(getReplica(), userId, { until: end });
    expect(await readBanKeys(sanctionId)).toEqual([{ kind: 'device', key_hash: used, expires_at: end }]);
    await liftSanction(getReplica(), userId, sanctionId);
    expect(await readBanKeys(sanctionId)).toEqual([]);
    await forgetLogin(browser);
  });

  it('last at most a year, are renewed by the confirmation of a ban, and then include the address', async () => {
    const { userId, email } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    const isInAYear = (date: Date) => Math.abs(date.getTime() - Date.now() - 365 * DAY_MS) < 60_000;
    const [device] = await readBanKeys(sanctionId);
    expect([device?.kind, isInAYear(device!.expires_at)]).toEqual(['device', true]);
    await query(`UPDATE ban_keys SET expires_at = now() + interval '3 days' WHERE sanction_id = $1`, [
      sanctionId,
    ]);
    await recordConduct(getReplica(), userId, 'SanctionConfirmed', {
      sanctionId,
      caseId: null,
      moderatorId: 1,
      isSolo: false,
    });
    const keys = await readBanKeys(sanctionId);
    expect(keys.map(({ kind, expires_at: end }) => [kind, isInAYear(end)])).toEqual([
      ['device', true],
      ['email', true],
    ]);
    expect(keys[1]?.key_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(keys)).not.toContain(email);
    const end = addHours(24);
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
  it('on the device of a suspended user is suspended until the same time, with a notice of its own', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const end = addHours(3);
    const { sanctionId, noticeId } = await imposeSanction(getReplica(), userId, { until: end });
    const second = await startAnother(browser);
    expect(second.standing).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    expect(second.standing.noticeId).not.toBe(noticeId);
    const readInherited = () =>
      query<{ inherited_from: string }>('SELECT inherited_from FROM sanctions WHERE user_id = $1', [
        second.id,
      ]);
    expect(await readInherited()).toEqual([{ inherited_from: String(sanctionId) }]);
    // By register, on a browser that was used by the new account alone.
    await forgetLogin(browser);
    const third = await browser
      .post('/api/register')
      .send({ email: createEmail(), password: PASSWORD })
      .expect(201);
    expect(third.body.user.standing).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    await browser.get(`/api/friends/${third.body.user.id}`).expect(403);
  });

  it('with the address of a banned user, in any case of letters, is banned on another device', async () => {
    const { userId, email } = await accounts.register();
    const { sanctionId } = await imposeSanction(getReplica(), userId, { kind: 'banned' });
    await recordConduct(getReplica(), userId, 'SanctionConfirmed', {
      sanctionId,
      caseId: null,
      moderatorId: 1,
      isSolo: false,
    });
    await query('UPDATE users SET email = NULL WHERE id = $1', [userId]); // as if the account were deleted
    const credentials = { email: email.toUpperCase(), password: PASSWORD };
    const response = await accounts.openBrowser().post('/api/register').send(credentials).expect(201);
    expect(response.body.user.standing).toMatchObject({ kind: 'banned', until: null });
  });

  it('is not affected by a sanction that is lifted or over, or on another device', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const { sanctionId } = await imposeSanction(getReplica(), userId);
    const { userId: other } = await accounts.startAnonymousUser();
    expect(await query('SELECT 1 FROM standings WHERE user_id = $1', [other])).toEqual([]);
    await liftSanction(getReplica(), userId, sanctionId);
    expect((await startAnother(browser)).standing.kind).toBe('good');
    const { browser: late, userId: lateId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), lateId, { until: new Date(Date.now() + 50) });
    await until(
      () => query('SELECT 1 FROM sanctions WHERE user_id = $1 AND until <= now()', [lateId]),
      ({ length }) => length > 0,
    );
    expect((await startAnother(late)).standing.kind).toBe('good');
  });

  it('does not affect other accounts that sign in on the device, nor the conversion of an account', async () => {
    const registered = await accounts.register();
    const { browser, userId } = await accounts.startAnonymousUser();
    await forgetLogin(browser);
    const friend = await browser.post('/api/anonymous').expect(201);
    await imposeSanction(getReplica(), userId);
    const credentials = { userId: friend.body.user.id, email: createEmail(), password: PASSWORD };
    const converted = await browser.post('/api/convert-anonymous').send(credentials).expect(200);
    expect(converted.body.user.standing.kind).toBe('good');
    await forgetLogin(browser);
    const login = await accounts.logIn(registered.email, { browser }).expect(200);
    expect(login.body.user.standing.kind).toBe('good');
  });

  it('is flagged when ten others were created on its device within a day', async () => {
    const { browser } = await accounts.startAnonymousUser();
    const kinds: string[] = [];
    for (let count = 2; count <= 12; count += 1) kinds.push((await startAnother(browser)).standing.kind);
    expect(kinds).toEqual([...Array<string>(9).fill('good'), 'care', 'care']);
  });

  it('does not exist when its sanction cannot be imposed', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    await imposeSanction(getReplica(), userId);
    await forgetLogin(browser);
    const [{ count: before }] = (await query<{ count: string }>('SELECT count(*) FROM users')) as [
      { count: string },
    ];
    const failing = jest
      .spyOn(accounts.api.app.get(BanKeyRepository), 'addDevices')
      .mockRejectedValueOnce(new Error('PostgreSQL is away'));
    await browser.post('/api/anonymous').expect(500);
    expect(failing).toHaveBeenCalled();
    expect(await query('SELECT count(*) FROM users')).toEqual([{ count: before }]);
  });
});
