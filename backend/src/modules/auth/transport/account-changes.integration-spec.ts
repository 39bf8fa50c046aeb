// Uses real PostgreSQL and Redis, and an api replica over HTTP. A family is the chain of session ids that replaced one
// another in a browser. For an id that is no longer valid, `readProfileStatus` returns 401.
import { goodStanding } from '@thaw/contract/safety';
import type { Response } from 'supertest';
import {
  type Browser,
  createEmail,
  PASSWORD,
  readSessionCookie,
  TestAccounts,
} from '../../../testing/test-accounts.fixture';

// Password hashing is slow by design, and slower when other tests run in parallel.
jest.setTimeout(30_000);

const NEW_PASSWORD = 'another horse';
/** Attempts with a wrong current password before further attempts are refused with 429. */
const ALLOWED_WRONG_PASSWORDS = 10;

let accounts: TestAccounts;

beforeAll(async () => {
  accounts = await TestAccounts.start();
});
afterAll(() => accounts.close());

describe('the conversion of an anonymous account', () => {
  const convert = (browser: Browser, userId: number, email = createEmail()) =>
    browser.post('/api/convert-anonymous').send({ userId, email, password: PASSWORD });

  it('keeps the user and the login, and issues another session id', async () => {
    const { browser, userId, cookie } = await accounts.startAnonymousUser();
    const loginBefore = await accounts.identifySocket(cookie);
    const email = createEmail();
    const response = await convert(browser, userId, email).expect(200);
    expect(response.body.user).toMatchObject({ id: userId, email, isAnonymous: false });
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
    expect(await accounts.identifySocket(readSessionCookie(response)!)).toEqual(loginBefore);
    expect((await accounts.logIn(email).expect(200)).body.user.id).toBe(userId);
  });

  it('is refused for another user, and the caller stays signed in', async () => {
    const [ada, bob] = [await accounts.startAnonymousUser(), await accounts.startAnonymousUser()];
    const { body } = await convert(ada.browser, bob.userId);
    expect(body).toMatchObject({ statusCode: 403, code: 'forbidden' });
    await ada.browser.get(`/api/user/${ada.userId}`).expect(200);
  });

  it('is refused for a registered user', async () => {
    const { browser, userId } = await accounts.register();
    expect((await convert(browser, userId)).body).toMatchObject({ code: 'not_anonymous' });
  });

  it('is refused with a taken address', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const { email: takenEmail } = await accounts.register();
    expect((await convert(browser, userId, takenEmail)).body).toMatchObject({ code: 'email_taken' });
  });

  it('is refused without a login', async () => {
    const { userId } = await accounts.startAnonymousUser();
    const { body } = await convert(accounts.openBrowser(), userId);
    expect(body).toMatchObject({ statusCode: 401, code: 'not_signed_in' });
  });

  it('succeeds for only one of several concurrent requests', async () => {
    const { cookie, userId } = await accounts.startAnonymousUser();
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => convert(accounts.openBrowser(), userId).set('Cookie', cookie)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status >= 500)).toHaveLength(0);
  });
});

describe('a change of e-mail', () => {
  const changeEmail = (
    browser: Browser,
    userId: number,
    { newEmail = createEmail(), currentPassword = PASSWORD } = {},
  ) => browser.put(`/api/user/${userId}/email`).send({ newEmail, currentPassword });

  it('requires the current password', async () => {
    const { browser, userId } = await accounts.register();
    const { body } = await changeEmail(browser, userId, { currentPassword: 'wrong' });
    expect(body).toMatchObject({ statusCode: 403, code: 'wrong_password' });
  });

  it('moves this login to a new family of sessions and keeps other logins', async () => {
    const { browser, userId, email: oldEmail, cookie } = await accounts.register();
    const otherCookie = readSessionCookie(await accounts.logIn(oldEmail))!;
    const loginBefore = await accounts.identifySocket(cookie);
    const newEmail = createEmail();
    const response = await changeEmail(browser, userId, { newEmail }).expect(200);
    expect(response.body.user).toMatchObject({ id: userId, email: newEmail });
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
    const loginAfter = await accounts.identifySocket(readSessionCookie(response)!);
    expect(loginAfter).toEqual({ userId, familyId: expect.any(String), standing: goodStanding });
    expect(loginAfter!.familyId).not.toBe(loginBefore!.familyId);
    expect(await accounts.readProfileStatus(otherCookie, userId)).toBe(200);
    await accounts.logIn(newEmail).expect(200);
    await accounts.logIn(oldEmail).expect(401);
  });

  it('is refused with a taken address', async () => {
    const { browser, userId } = await accounts.register();
    const { email: takenEmail } = await accounts.register();
    const { body } = await changeEmail(browser, userId, { newEmail: takenEmail });
    expect(body).toMatchObject({ statusCode: 409, code: 'email_taken' });
  });

  it('is refused for another user', async () => {
    const [ada, bob] = [await accounts.register(), await accounts.register()];
    const { body } = await changeEmail(ada.browser, bob.userId);
    expect(body).toMatchObject({ statusCode: 403, code: 'forbidden' });
  });

  it('is refused for an anonymous user', async () => {
    const { browser, userId } = await accounts.startAnonymousUser();
    const { body } = await changeEmail(browser, userId);
    expect(body).toMatchObject({ statusCode: 403, code: 'forbidden' });
  });
});

describe('a change of password', () => {
  const changePassword = (
    browser: Browser,
    userId: number,
    { currentPassword = PASSWORD, newPassword = NEW_PASSWORD } = {},
  ) => browser.put(`/api/user/${userId}/password`).send({ currentPassword, newPassword });

  it('ends every other login and moves this one to a new family of sessions', async () => {
    const { browser, userId, email, cookie } = await accounts.register();
    const otherCookies = [
      readSessionCookie(await accounts.logIn(email))!,
      readSessionCookie(await accounts.logIn(email))!,
    ];
    const loginBefore = (await accounts.identifySocket(cookie))!;
    let response: Response | undefined;
    const messages = await accounts.recordChannelMessages(userId, async () => {
      response = await changePassword(browser, userId).expect(200, { success: true });
    });
    // The first message closes the sockets of all other logins.
    expect(messages[0]).toEqual({
      kind: 'revoke',
      familyIds: 'all',
      exceptFamilyId: loginBefore.familyId,
    });
    for (const oldCookie of [...otherCookies, cookie]) {
      expect(await accounts.readProfileStatus(oldCookie, userId)).toBe(401);
    }
    const loginAfter = await accounts.identifySocket(readSessionCookie(response!)!);
    expect(loginAfter).toMatchObject({ userId });
    expect(loginAfter!.familyId).not.toBe(loginBefore.familyId);
    await browser.get(`/api/user/${userId}`).expect(200);
    await accounts.logIn(email).expect(401);
    await accounts.logIn(email, { password: NEW_PASSWORD }).expect(200);
  });

  // Each of these passwords ends with half of a surrogate pair.
  it.each([
    ['current', { currentPassword: `${PASSWORD}\ud800` }],
    ['new', { newPassword: `${NEW_PASSWORD}\udc00` }],
  ])('is refused with a %s password that is not well-formed Unicode', async (_case, passwords) => {
    const { browser, userId } = await accounts.register();
    expect((await changePassword(browser, userId, passwords)).body.code).toBe('validation_failed');
  });

  it('is refused with a wrong current password, and with 429 after ten wrong ones', async () => {
    const { browser, userId } = await accounts.register();
    const guess = () => changePassword(browser, userId, { currentPassword: 'wrong' });
    for (let count = 0; count < ALLOWED_WRONG_PASSWORDS; count += 1) {
      expect((await guess()).body.code).toBe('wrong_password');
    }
    await guess().expect(429);
  });

  it('refuses or ends concurrent logins with the old password', async () => {
    const { browser, userId, email } = await accounts.register();
    const logins = Array.from({ length: 12 }, () => accounts.logIn(email));
    const [change, ...loginResponses] = await Promise.all([changePassword(browser, userId), ...logins]);
    expect(change.status).toBe(200);
    for (const response of loginResponses) {
      const cookie = readSessionCookie(response);
      if (cookie) {
        expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
      } else {
        // A login counts as a failure until its password is verified, so concurrent logins can reach the limit (429).
        expect([401, 429]).toContain(response.status);
      }
    }
  });

  it('is refused for another user', async () => {
    const [ada, bob] = [await accounts.register(), await accounts.register()];
    const { body } = await changePassword(ada.browser, bob.userId);
    expect(body).toMatchObject({ statusCode: 403, code: 'forbidden' });
  });
});
