// Uses real PostgreSQL and Redis, and an api replica over HTTP.
import { type Browser, createEmail, PASSWORD, TestAccounts } from '../../../testing/test-accounts.fixture';

// Password hashing is slow by design, and slower when other tests run in parallel.
jest.setTimeout(30_000);

describe('limits on password guessing', () => {
  let accounts: TestAccounts;

  beforeAll(async () => {
    accounts = await TestAccounts.start();
  });
  afterAll(() => accounts.close());

  const guess = (email: string, browser = accounts.openBrowser()) =>
    accounts.logIn(email, { browser, password: 'a wrong guess' });
  /** Makes the five wrong guesses that are allowed, each from another client address unless a browser is given. */
  const makeAllowedGuesses = async (email: string, browser?: Browser): Promise<void> => {
    for (let attempt = 0; attempt < 5; attempt += 1) await guess(email, browser).expect(401);
  };

  it('an account is blocked after five failures, from any client addresses', async () => {
    const { email } = await accounts.register();
    await makeAllowedGuesses(email);
    const response = await guess(email.toUpperCase());
    expect(response.status).toBe(429);
    expect(response.body.code).toBe('rate_limited');
    const retryAfterS = Number(response.get('Retry-After'));
    expect(retryAfterS).toBeGreaterThan(60);
    expect(retryAfterS).toBeLessThanOrEqual(180);
    await accounts.logIn(email).expect(429);
  });

  it('the user can still sign in on a known device', async () => {
    const { browser, email } = await accounts.register();
    await browser.post('/api/logout').expect(204);
    for (let attempt = 0; attempt < 6; attempt += 1) await guess(email);
    await accounts.logIn(email).expect(429);
    await accounts.logIn(email, { browser }).expect(200);
    await guess(email, browser).expect(401);
    await accounts.logIn(email, { browser }).expect(200);
  });

  it('after a change of password only the device that made it is known', async () => {
    const { browser, email, userId } = await accounts.register();
    const otherBrowser = accounts.openBrowser();
    await accounts.logIn(email, { browser: otherBrowser }).expect(200);
    const newPassword = 'another horse';
    await browser
      .put(`/api/user/${userId}/password`)
      .send({ currentPassword: PASSWORD, newPassword })
      .expect(200);
    await makeAllowedGuesses(email);
    await accounts.logIn(email, { browser: otherBrowser, password: newPassword }).expect(429);
    await accounts.logIn(email, { browser, password: newPassword }).expect(200);
  });

  it('a device that is known for another user is limited like an unknown one', async () => {
    const { browser } = await accounts.register();
    const victim = await accounts.register();
    await makeAllowedGuesses(victim.email, browser);
    await guess(victim.email, browser).expect(429);
  });

  it('guesses for an e-mail address without an account are limited too', async () => {
    const email = createEmail();
    await makeAllowedGuesses(email);
    await guess(email).expect(429);
  });

  it('concurrent attempts are counted', async () => {
    const { email } = await accounts.register();
    const responses = await Promise.all(Array.from({ length: 20 }, () => guess(email)));
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it('a client address is blocked after sixty failures across accounts', async () => {
    const browser = accounts.openBrowser();
    const responses = await Promise.all(Array.from({ length: 60 }, () => guess(createEmail(), browser)));
    expect(responses.map(({ status }) => status)).toEqual(Array(60).fill(401));
    await guess(createEmail(), browser).expect(429);
    await guess(createEmail()).expect(401);
  });

  it('successful logins are not counted', async () => {
    const { email } = await accounts.register();
    for (let attempt = 0; attempt < 8; attempt += 1) await accounts.logIn(email).expect(200);
  });
});
