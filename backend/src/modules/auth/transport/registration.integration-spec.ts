// Uses real PostgreSQL and Redis, and an api replica over HTTP.
import { randomUUID } from 'node:crypto';
import { goodStanding } from '@thaw/contract/safety';
import { readFileSync, statSync } from 'node:fs';
import {
  createEmail,
  PASSWORD,
  type SignedInBrowser,
  TestAccounts,
} from '../../../testing/test-accounts.fixture';

// Password hashing is slow by design, and slower when other tests run in parallel.
jest.setTimeout(30_000);

const MS_PER_DAY = 24 * 60 * 60 * 1_000;

let accounts: TestAccounts;

beforeAll(async () => {
  accounts = await TestAccounts.start();
});
afterAll(() => accounts.close());

const postRegistration = (body: object) => accounts.openBrowser().post('/api/register').send(body);

/** @returns a function that reads the lines which PostgreSQL has logged since `startReadingPostgresLog` was called */
const startReadingPostgresLog = async (): Promise<() => string> => {
  const [{ pid }] = await accounts.api.database.dataSource.query<[{ pid: number }]>(
    'SELECT pg_backend_pid() AS pid',
  );
  // PostgreSQL logs to the standard error of its processes, which is redirected to a file.
  const logFile = `/proc/${pid}/fd/2`;
  const { size } = statSync(logFile);
  return () => readFileSync(logFile).subarray(size).toString();
};

describe('registration', () => {
  it('creates a user whose username is unrelated to the e-mail, and signs the user in', async () => {
    const email = `ada.lovelace.${randomUUID()}@example.org`;
    const browser = accounts.openBrowser();
    const response = await browser.post('/api/register').send({ email, password: PASSWORD }).expect(201);
    const { user } = response.body;
    expect(user).toEqual({
      id: expect.any(Number),
      username: expect.stringMatching(/^[a-z]+-[a-z]+-\d{4}$/),
      avatar: null,
      email,
      gender: null,
      isAnonymous: false,
      isOnline: true,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      isModerator: false,
      standing: goodStanding,
    });
    expect(user.username).not.toMatch(/ada|lovelace/);
    await browser.get(`/api/user/${user.id}`).expect(200, user);
  });

  it('sets a cookie for thirty days that is hidden from scripts and from requests of other sites', async () => {
    const response = await postRegistration({ email: createEmail(), password: PASSWORD });
    const cookie = response.get('Set-Cookie')!.find((line) => line.startsWith('thaw.sid='))!;
    expect(cookie).toMatch(/; Path=\//);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    // Secure requires a public origin with https.
    expect(cookie).not.toMatch(/Domain=|Secure/);
    const expiresAt = Date.parse(/Expires=([^;]+)/.exec(cookie)![1]!);
    const lifetimeDays = (expiresAt - Date.now()) / MS_PER_DAY;
    expect(lifetimeDays).toBeGreaterThan(29.9);
    expect(lifetimeDays).toBeLessThan(30.1);
  });

  it('rejects an address that is registered in other letter case', async () => {
    const { email } = await accounts.register();
    const response = await postRegistration({ email: email.toUpperCase(), password: PASSWORD });
    expect(response.status).toBe(409);
    expect(response.body).toEqual({ statusCode: 409, code: 'email_taken', message: expect.any(String) });
  });

  it('accepts only one of ten concurrent requests with the same address', async () => {
    const email = createEmail();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => postRegistration({ email, password: PASSWORD })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    const rows = await accounts.api.database.dataSource.query(
      `SELECT (SELECT count(*) FROM users WHERE email = $1) AS users,
              (SELECT count(*) FROM events JOIN event_private USING (event_id)
               WHERE event_private.data->>'email' = $1) AS events`,
      [email],
    );
    expect(rows).toEqual([{ users: '1', events: '1' }]);
  });

  it('competes with changes of e-mail: one request gets the address, and PostgreSQL logs no address', async () => {
    const [ada, bob, eve] = [await accounts.register(), await accounts.register(), await accounts.register()];
    const contestedEmail = createEmail();
    const readLog = await startReadingPostgresLog();
    const changeEmail = ({ browser, userId }: SignedInBrowser, email: string) =>
      browser.put(`/api/user/${userId}/email`).send({ newEmail: email, currentPassword: PASSWORD });
    const [eveResponse, ...contestResponses] = await Promise.all([
      // Eve gets Ada's address if Ada has won the contest before, and is refused otherwise.
      changeEmail(eve, ada.email),
      ...Array.from({ length: 5 }, () => postRegistration({ email: contestedEmail, password: PASSWORD })),
      changeEmail(ada, contestedEmail),
      changeEmail(bob, contestedEmail.toUpperCase()),
    ]);
    expect(contestResponses.filter(({ status }) => status < 300)).toHaveLength(1);
    // 200 for a change, 201 for a registration, 409 for an address in use.
    for (const { status } of [eveResponse, ...contestResponses]) expect([200, 201, 409]).toContain(status);
    const log = readLog();
    // A violation of this unique index would be logged with the name of the index and the duplicate address.
    expect(log).not.toContain('users_email_key');
    for (const email of [contestedEmail, ada.email]) expect(log).not.toContain(email);
  });

  it('stores passwords and session ids only as hashes, and no e-mail address in events', async () => {
    const { cookie, userId, email } = await accounts.register();
    // The value of the cookie is `s:<session id>.<signature>`.
    const sessionId = decodeURIComponent(cookie).replace('thaw.sid=s:', '').split('.')[0]!;
    const [row] = await accounts.api.database.dataSource.query(
      `SELECT (SELECT json_agg(sessions) FROM sessions)::text
                || (SELECT json_agg(credentials) FROM credentials)::text AS secrets,
              (SELECT json_agg(events) FROM events WHERE stream_id = $1)::text AS events`,
      [`user-${userId}`],
    );
    expect(Buffer.from(sessionId, 'base64url')).toHaveLength(32); // the whole id was extracted
    expect(row.secrets).not.toContain(sessionId);
    expect(row.secrets).not.toContain(PASSWORD);
    // The beginning of every password hash.
    expect(row.secrets).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(row.events).not.toContain(email);
  });
});

describe('bodies of registration and login', () => {
  const email = 'a@example.org';

  it.each<[string, object]>([
    ['no e-mail', { password: PASSWORD }],
    ['no password', { email }],
    ['a malformed e-mail', { email: 'no-at-sign', password: PASSWORD }],
    ['an e-mail with NUL', { email: 'a\u0000b@example.org', password: PASSWORD }],
    ['an e-mail that is too long', { email: `${'a'.repeat(250)}@example.org`, password: PASSWORD }],
    ['a query operator for an e-mail', { email: { $ne: null }, password: PASSWORD }],
    ['a list of e-mails', { email: [email], password: PASSWORD }],
    ['a password of five characters', { email, password: '12345' }],
    ['a password of three emoji, which are six UTF-16 units', { email, password: '😀😀😀' }],
    ['a password of 129 characters', { email, password: 'x'.repeat(129) }],
    ['a password with half a surrogate pair', { email, password: 'secret\ud800' }],
    ['a number for a password', { email, password: 123456 }],
  ])('a body with %s is refused with 400', async (_case, body) => {
    for (const path of ['/api/register', '/api/login']) {
      const response = await accounts.openBrowser().post(path).send(body);
      expect(response.status).toBe(400);
      expect(response.body).toEqual({
        statusCode: 400,
        code: 'validation_failed',
        message: expect.any(String),
      });
    }
  });

  it.each([
    ['six code points', 'with seven', '😀'.repeat(6), '😀'.repeat(7)],
    ['128 code points', 'with 127', '😀'.repeat(128), '😀'.repeat(127)],
    ['surrounding spaces', 'without them', '  spaces  ', 'spaces'],
    ['combining accents', 'with composed ones', 'e\u0301'.repeat(6), '\u00e9'.repeat(6)],
    ['a capital letter', 'with a small one', 'Password', 'password'],
  ])(
    'a user who registers a password with %s can sign in with it, but not %s',
    async (_case, _nearMissCase, password, nearMiss) => {
      const address = createEmail();
      await postRegistration({ email: address, password }).expect(201);
      await accounts.logIn(address, { password }).expect(200);
      await accounts.logIn(address, { password: nearMiss }).expect(401);
    },
  );

  it('unknown fields of a body are ignored', async () => {
    const body = { email: createEmail(), password: PASSWORD, isAdmin: true, id: 1 };
    const response = await postRegistration(body).expect(201);
    expect(response.body.user).not.toHaveProperty('isAdmin');
    expect(response.body.user.id).not.toBe(1);
  });
});
