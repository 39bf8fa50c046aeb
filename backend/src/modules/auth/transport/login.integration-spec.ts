// Uses real PostgreSQL and Redis, and an api replica over HTTP. Cookies are tested with `readProfileStatus`, which
// requests a profile: the status is 200 for a valid cookie and 401 for an invalid one.
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

describe('a login', () => {
  it('ignores the letter case of the e-mail address', async () => {
    const { email, userId } = await accounts.register();
    const response = await accounts.logIn(email.toUpperCase()).expect(200);
    expect(response.body.user).toMatchObject({ id: userId, email });
  });

  it('gets the same response for a wrong password and for an unknown address', async () => {
    const { email } = await accounts.register();
    const wrongPassword = await accounts.logIn(email, { password: 'wrong password' }).expect(401);
    const unknownAddress = await accounts.logIn(createEmail()).expect(401);
    expect(wrongPassword.body.code).toBe('invalid_credentials');
    expect(unknownAddress.body).toEqual(wrongPassword.body);
    expect(readSessionCookie(wrongPassword)).toBeUndefined();
  });

  it('issues another session id and ends the previous login of the browser', async () => {
    const { browser, email, cookie, userId } = await accounts.register();
    // The session ids of one login are a family. The message `revoke`, which replicas receive on the channel of the
    // user, closes the sockets of a family.
    const messages = await accounts.recordChannelMessages(userId, async () => {
      const response = await accounts.logIn(email, { browser }).expect(200);
      expect(readSessionCookie(response)).not.toBe(cookie);
    });
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
    expect(messages).toMatchObject([{ kind: 'revoke', familyIds: [expect.any(String)] }]);
  });

  it('keeps the logins in other browsers', async () => {
    const { email, userId, cookie } = await accounts.register();
    await accounts.logIn(email).expect(200);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(200);
  });
});

describe('a session cookie', () => {
  it.each([
    ['was not signed by the server', 'thaw.sid=s%3Aplanted.signature'],
    ['has no signature', 'thaw.sid=planted'],
    ['is empty', 'thaw.sid='],
  ])('is replaced by POST /api/anonymous when its session id %s', async (_case, cookie) => {
    const response = await accounts.openBrowser().post('/api/anonymous').set('Cookie', cookie).expect(201);
    expect(readSessionCookie(response)).toBeDefined();
    expect(readSessionCookie(response)).not.toBe(cookie);
  });

  it('is replaced by POST /api/anonymous when its session has ended', async () => {
    const { browser, cookie } = await accounts.register();
    await browser.post('/api/logout').expect(204);
    const response = await accounts.openBrowser().post('/api/anonymous').set('Cookie', cookie).expect(201);
    expect(readSessionCookie(response)).toBeDefined();
    expect(readSessionCookie(response)).not.toBe(cookie);
  });

  it('is rejected by routes for signed-in users when its session id was changed', async () => {
    const { cookie, userId } = await accounts.register();
    // The cookie is `thaw.sid=s%3A<session id>.<signature>`.
    const [prefix, idAndSignature] = cookie.split('s%3A') as [string, string];
    const otherCharacter = idAndSignature.startsWith('A') ? 'B' : 'A';
    const changedCookie = `${prefix}s%3A${otherCharacter}${idAndSignature.slice(1)}`;
    expect(await accounts.readProfileStatus(changedCookie, userId)).toBe(401);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(200);
  });
});

describe('POST /api/anonymous', () => {
  it('creates an anonymous user, with or without a body', async () => {
    const response = await accounts.openBrowser().post('/api/anonymous').send({}).expect(201);
    expect(response.body.user).toMatchObject({ isAnonymous: true, email: null, gender: null });
    await accounts.openBrowser().post('/api/anonymous').expect(201);
  });

  it('returns the same anonymous user while their session is valid', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const response = await browser.post('/api/anonymous').expect(200);
    expect(response.body.user.id).toBe(userId);
    expect(readSessionCookie(response)).toBeUndefined();
  });

  it('signs out a registered user and creates a new anonymous user', async () => {
    const { browser, userId, cookie } = await accounts.register();
    const anonymous = await accounts.startAnonymousUser(browser);
    expect(anonymous.userId).not.toBe(userId);
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
  });

  it('is limited to a burst of sixty new users for each client address', async () => {
    const address = '198.51.100.7';
    const burst = 60;
    const remainingTokens = 5;
    const requestCount = 30;
    const limiter = accounts.api.app.get(RateLimiterService);
    // Takes all but a few tokens of this address; each request below takes one.
    const taken = await limiter.take('anonymous', address, burst - remainingTokens);
    expect(taken).toMatchObject({ allowed: true });
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

describe('a logout', () => {
  it('ends the session, closes its sockets and clears the cookie', async () => {
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

  it('keeps the other logins of the user', async () => {
    const { browser, email, userId } = await accounts.register();
    const otherCookie = readSessionCookie(await accounts.logIn(email))!;
    await browser.post('/api/logout').expect(204);
    expect(await accounts.readProfileStatus(otherCookie, userId)).toBe(200);
  });

  it('succeeds without a login', async () => {
    await accounts.openBrowser().post('/api/logout').expect(204);
  });
});

describe('a session', () => {
  const updateSession = (userId: number, assignments: string) =>
    accounts.api.database.dataSource.query(`UPDATE sessions SET ${assignments} WHERE user_id = $1`, [userId]);
  /** Backdates the last extension of the user's session, so that the next request extends the session. */
  const makeExtendable = (userId: number) =>
    updateSession(userId, `refreshed_at = now() - interval '2 hours', expires_at = now() + interval '1 day'`);

  it('is refused over HTTP and on sockets when it has expired', async () => {
    const { browser, userId, cookie } = await accounts.register();
    await updateSession(userId, `expires_at = now() - interval '1 second'`);
    await browser.get(`/api/user/${userId}`).expect(401);
    expect(await accounts.identifySocket(cookie)).toBeNull();
  });

  it('is extended at most once an hour', async () => {
    const { browser, userId } = await accounts.register();
    const readProfile = () => browser.get(`/api/user/${userId}`).expect(200);
    // A response to a request that extends the session sets its cookie again.
    expect(readSessionCookie(await readProfile())).toBeUndefined();
    await makeExtendable(userId);
    expect(readSessionCookie(await readProfile())).toBeDefined();
    expect(readSessionCookie(await readProfile())).toBeUndefined();
  });

  it('lasts thirty days from its last extension', async () => {
    const { browser, userId } = await accounts.register();
    await makeExtendable(userId);
    await browser.get(`/api/user/${userId}`).expect(200);
    const [row] = await accounts.api.database.dataSource.query(
      `SELECT expires_at > now() + interval '29 days' AS is_extended FROM sessions WHERE user_id = $1`,
      [userId],
    );
    expect(row).toEqual({ is_extended: true });
  });

  it('identifies a socket by its family, which is live until the session ends', async () => {
    const { browser, cookie, userId } = await accounts.register();
    const socketIdentities = accounts.api.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    const identity = (await accounts.identifySocket(cookie))!;
    expect(identity.userId).toBe(userId);
    const unknownFamilyId = randomUUID();
    // The values of the map are the current standings (restrictions) of the users.
    expect(await socketIdentities.findLiveFamilies([identity.familyId, unknownFamilyId])).toEqual(
      new Map([[identity.familyId, goodStanding]]),
    );
    await browser.post('/api/logout').expect(204);
    expect(await socketIdentities.findLiveFamilies([identity.familyId])).toEqual(new Map());
  });
});
