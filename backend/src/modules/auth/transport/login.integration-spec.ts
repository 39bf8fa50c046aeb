// Uses real PostgreSQL and Redis, and an api replica over HTTP. A login is a family of session ids that replace one
// another. `readProfileStatus` is 401 for a cookie that is not valid.
import { randomUUID } from 'node:crypto';
import { goodStanding } from '@thaw/contract/safety';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import {
  SOCKET_IDENTITY_PORT,
  type SocketIdentityPort,
} from '../../../platform/realtime/socket-identity.port';
import { createEmail, readSessionCookie, TestAccounts } from '../../../testing/test-accounts.fixture';

// Password hashing is slow by design, and slower when other tests run in parallel.
jest.setTimeout(30_000);

let accounts: TestAccounts;

beforeAll(async () => {
  accounts = await TestAccounts.start();
});
afterAll(() => accounts.close());

describe('login', () => {
  it('a login ignores the letter case of the e-mail address', async () => {
    const { email, userId } = await accounts.register();
    const response = await accounts.logIn(email.toUpperCase()).expect(200);
    expect(response.body.user).toMatchObject({ id: userId, email });
  });

  it('a login gets the same response for a wrong password and for an unknown address', async () => {
    const { email } = await accounts.register();
    const wrongPassword = await accounts.logIn(email, { password: 'wrong password' }).expect(401);
    const unknownAddress = await accounts.logIn(createEmail()).expect(401);
    expect(wrongPassword.body.code).toBe('invalid_credentials');
    expect(unknownAddress.body).toEqual(wrongPassword.body);
    expect(readSessionCookie(wrongPassword)).toBeUndefined();
  });

  it('a login issues another session id and ends the previous login of the browser', async () => {
    const { browser, email, cookie, userId } = await accounts.register();
    const messages = await accounts.recordChannelMessages(userId, async () => {
      const response = await accounts.logIn(email, { browser }).expect(200);
      expect(readSessionCookie(response)).not.toBe(cookie);
    });
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
    // The message `revoke` closes the sockets of a family.
    expect(messages).toMatchObject([{ kind: 'revoke', familyIds: [expect.any(String)] }]);
  });

  it('a login keeps the logins in other browsers', async () => {
    const { email, userId, cookie } = await accounts.register();
    await accounts.logIn(email).expect(200);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(200);
  });
});

describe('session cookie', () => {
  it.each([
    ['was not signed by the server', 'thaw.sid=s%3Aplanted.signature'],
    ['has no signature', 'thaw.sid=planted'],
    ['is empty', 'thaw.sid='],
  ])('a session cookie is replaced when its session id %s', async (_case, cookie) => {
    const response = await accounts.openBrowser().post('/api/anonymous').set('Cookie', cookie).expect(201);
    expect(readSessionCookie(response)).toBeDefined();
    expect(readSessionCookie(response)).not.toBe(cookie);
  });

  it('a session cookie is replaced when its session has ended', async () => {
    const { browser, cookie } = await accounts.register();
    await browser.post('/api/logout').expect(204);
    const response = await accounts.openBrowser().post('/api/anonymous').set('Cookie', cookie).expect(201);
    expect(readSessionCookie(response)).toBeDefined();
    expect(readSessionCookie(response)).not.toBe(cookie);
  });

  it('a session cookie is rejected when its session id was changed', async () => {
    const { cookie, userId } = await accounts.register();
    // The session id follows `s%3A`; its first character is replaced.
    const changedCookie = cookie.replace(/s%3A./, (start) => `s%3A${start.endsWith('A') ? 'B' : 'A'}`);
    expect(await accounts.readProfileStatus(changedCookie, userId)).toBe(401);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(200);
  });
});

describe('POST /api/anonymous', () => {
  it('an anonymous user is created, with or without a body', async () => {
    const response = await accounts.openBrowser().post('/api/anonymous').send({}).expect(201);
    expect(response.body.user).toMatchObject({ isAnonymous: true, email: null, gender: null });
    await accounts.openBrowser().post('/api/anonymous').expect(201);
  });

  it('the same anonymous user is returned while their session is valid', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const response = await browser.post('/api/anonymous').expect(200);
    expect(response.body.user.id).toBe(userId);
    expect(readSessionCookie(response)).toBeUndefined();
  });

  it('a registered user is signed out and replaced by a new anonymous user', async () => {
    const { browser, userId, cookie } = await accounts.register();
    const anonymous = await accounts.startAnonymousUser(browser);
    expect(anonymous.userId).not.toBe(userId);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
  });

  it('the creation of anonymous users is limited to a burst of sixty for each client address', async () => {
    const address = '198.51.100.7';
    const [remainingTokens, requestCount] = [5, 30];
    const limiter = accounts.api.app.get(RateLimiterService);
    // Takes all but a few of the sixty tokens of this address; each request below takes one.
    expect(await limiter.take('anonymous', address, 60 - remainingTokens)).toMatchObject({ allowed: true });
    const responses = await Promise.all(
      Array.from({ length: requestCount }, () =>
        accounts.openBrowser().post('/api/anonymous').set('X-Forwarded-For', address),
      ),
    );
    // The bucket refills while the requests are handled, so a few more than the remaining tokens may be accepted.
    const createdCount = responses.filter(({ status }) => status === 201).length;
    expect(createdCount).toBeGreaterThanOrEqual(remainingTokens);
    expect(createdCount).toBeLessThan(requestCount);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(requestCount - createdCount);
  });
});

describe('logout', () => {
  it('a logout ends the session, closes its sockets and clears the cookie', async () => {
    const { browser, cookie, userId } = await accounts.register();
    const { familyId } = (await accounts.identifySocket(cookie))!;
    const messages = await accounts.recordChannelMessages(userId, async () => {
      const response = await browser.post('/api/logout').expect(204);
      expect(response.get('Set-Cookie')!.join()).toMatch(/thaw\.sid=;.*Expires=Thu, 01 Jan 1970/);
    });
    expect(messages).toEqual([{ kind: 'revoke', familyIds: [familyId] }]);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
    expect(await accounts.identifySocket(cookie)).toBeNull();
    // The browser, whose cookie was cleared, is refused too.
    await browser.get(`/api/user/${userId}`).expect(401);
  });

  it('a logout keeps the other logins of the user', async () => {
    const { browser, email, userId } = await accounts.register();
    const otherCookie = readSessionCookie(await accounts.logIn(email))!;
    await browser.post('/api/logout').expect(204);
    expect(await accounts.readProfileStatus(otherCookie, userId)).toBe(200);
  });

  it('a logout succeeds without a login', async () => {
    await accounts.openBrowser().post('/api/logout').expect(204);
  });
});

describe('session', () => {
  const updateSession = (userId: number, assignments: string) =>
    accounts.api.database.dataSource.query(`UPDATE sessions SET ${assignments} WHERE user_id = $1`, [userId]);

  it('an expired session is refused over HTTP and on sockets', async () => {
    const { browser, userId, cookie } = await accounts.register();
    await updateSession(userId, `expires_at = now() - interval '1 second'`);
    await browser.get(`/api/user/${userId}`).expect(401);
    expect(await accounts.identifySocket(cookie)).toBeNull();
  });

  it('a session is extended at most once an hour', async () => {
    const { browser, userId } = await accounts.register();
    const readProfile = () => browser.get(`/api/user/${userId}`).expect(200);
    expect(readSessionCookie(await readProfile())).toBeUndefined();
    await updateSession(
      userId,
      `refreshed_at = now() - interval '2 hours', expires_at = now() + interval '1 day'`,
    );
    expect(readSessionCookie(await readProfile())).toBeDefined();
    expect(readSessionCookie(await readProfile())).toBeUndefined();
    // A session lasts thirty days from its last extension, which was a moment ago.
    const [row] = await accounts.api.database.dataSource.query(
      `SELECT expires_at > now() + interval '29 days' AS is_extended FROM sessions WHERE user_id = $1`,
      [userId],
    );
    expect(row).toEqual({ is_extended: true });
  });

  it('sockets are identified by the family of their session until the session ends', async () => {
    const { browser, cookie, userId } = await accounts.register();
    const identities = accounts.api.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    const identity = (await accounts.identifySocket(cookie))!;
    expect(identity.userId).toBe(userId);
    const unknownFamilyId = randomUUID();
    expect(await identities.findLiveFamilies([identity.familyId, unknownFamilyId])).toEqual(
      // The value is the current standing (restrictions) of the user.
      new Map([[identity.familyId, goodStanding]]),
    );
    await browser.post('/api/logout').expect(204);
    expect(await identities.findLiveFamilies([identity.familyId])).toEqual(new Map());
  });
});
