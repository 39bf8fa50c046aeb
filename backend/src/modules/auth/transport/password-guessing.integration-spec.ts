// Uses real PostgreSQL and Redis, and an api replica over HTTP. Each opened browser has its own client address.
import { type Browser, createEmail, PASSWORD, TestAccounts } from '../../../testing/test-accounts.fixture';

/** Password hashing is slow by design, and slower when other tests run in parallel. */
const MAX_TEST_DURATION_S = 30;
jest.setTimeout(MAX_TEST_DURATION_S * 1_000);

/** Failed logins of an account that are allowed within 15 minutes. */
const ACCOUNT_FAILURES = 5;
/** Failed logins from a client address that are allowed within 15 minutes. */
const ADDRESS_FAILURES = 60;
/** Time after which one more failure of a blocked account is allowed: a fifth of 15 minutes. */
const ACCOUNT_INTERVAL_S = 180;

describe('limits on password guessing', () => {
  let accounts: TestAccounts;

  beforeAll(async () => {
    accounts = await TestAccounts.start();
  });
  afterAll(() => accounts.close());

  /** Attempts a login with a wrong password, by default from a new client address. */
  const guess = (email: string, browser = accounts.openBrowser()) =>
    accounts.logIn(email, { browser, password: 'a wrong guess' });
  /** Guesses as often as an account allows, by default each time from a new client address. */
  const makeAllowedGuesses = async (email: string, browser?: Browser): Promise<void> => {
    for (let count = 0; count < ACCOUNT_FAILURES; count += 1) await guess(email, browser).expect(401);
  };

  it('an account is blocked after five failures, even if they come from different client addresses', async () => {
    const { email } = await accounts.register();
    await makeAllowedGuesses(email);
    const response = await guess(email);
    expect(response.status).toBe(429);
    expect(response.body.code).toBe('rate_limited');
    // The interval began with the first failure.
    const retryAfterS = Number(response.get('Retry-After'));
    expect(retryAfterS).toBeGreaterThan(ACCOUNT_INTERVAL_S - MAX_TEST_DURATION_S);
    expect(retryAfterS).toBeLessThanOrEqual(ACCOUNT_INTERVAL_S);
    await accounts.logIn(email).expect(429);
  });

  it('an account is blocked for every spelling of its e-mail address', async () => {
    const { email } = await accounts.register();
    await makeAllowedGuesses(email);
    await guess(email.toUpperCase()).expect(429);
  });

  it('a known device can still sign in to an account that is blocked elsewhere, even after a failure', async () => {
    const { browser, email } = await accounts.register();
    await browser.post('/api/logout').expect(204);
    await makeAllowedGuesses(email);
    await accounts.logIn(email).expect(429);
    await accounts.logIn(email, { browser }).expect(200);
    await guess(email, browser).expect(401);
    await accounts.logIn(email, { browser }).expect(200);
  });

  it('after a change of password only the device that made the change is known', async () => {
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

  it('a device that is known only to another account is limited like an unknown one', async () => {
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

  it('concurrent guesses are counted', async () => {
    const { email } = await accounts.register();
    const guessCount = 20;
    const responses = await Promise.all(Array.from({ length: guessCount }, () => guess(email)));
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(ACCOUNT_FAILURES);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(guessCount - ACCOUNT_FAILURES);
  });

  it('a client address is blocked after sixty failures across accounts', async () => {
    const browser = accounts.openBrowser();
    const responses = await Promise.all(
      Array.from({ length: ADDRESS_FAILURES }, () => guess(createEmail(), browser)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(ADDRESS_FAILURES).fill(401));
    await guess(createEmail(), browser).expect(429);
    await guess(createEmail()).expect(401); // from another client address
  });

  it('successful logins are not counted', async () => {
    const { email } = await accounts.register();
    const loginCount = ACCOUNT_FAILURES + 1;
    for (let count = 0; count < loginCount; count += 1) await accounts.logIn(email).expect(200);
  });
});
