// Real: PostgreSQL, Redis, an api replica over HTTP.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Response } from 'supertest';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { REDIS } from '../../../platform/redis/redis.module';
import { userChannel } from '../../../platform/redis/redis.keys';
import type { Redis } from 'ioredis';
import {
  SOCKET_IDENTITY_PORT,
  type SocketIdentityPort,
} from '../../../platform/realtime/socket-identity.port';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';

// Password hashing is slow by design, and slower when other tests run in parallel.
jest.setTimeout(30_000);

type Browser = ReturnType<TestApi['browser']>;

const newEmail = () => `${randomUUID()}@example.org`;
const password = 'correct horse';

/** The session cookie set by a response, as a browser would send it; undefined when none was set. */
const cookieOf = (response: Response): string | undefined =>
  ([] as string[])
    .concat(response.get('Set-Cookie') ?? [])
    .find((cookie) => cookie.startsWith('thaw.sid='))
    ?.split(';')[0];

describe('accounts over HTTP', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const register = async (browser: Browser = api.browser(), email = newEmail()) => {
    const response = await browser.post('/api/register').send({ email, password }).expect(201);
    return { browser, email, id: response.body.user.id as number, cookie: cookieOf(response)! };
  };
  const startAnonymous = async (browser: Browser = api.browser()) => {
    const response = await browser.post('/api/anonymous').expect(201);
    return { browser, id: response.body.user.id as number, cookie: cookieOf(response)! };
  };
  const login = (email: string, browser: Browser = api.browser(), secret = password) =>
    browser.post('/api/login').send({ email, password: secret });
  const statusWith = async (cookie: string, userId: number) =>
    (await api.browser().get(`/api/user/${userId}`).set('Cookie', cookie)).status;
  const identify = async (cookie: string) =>
    api.app
      .get<SocketIdentityPort>(SOCKET_IDENTITY_PORT)
      .identify({ headers: { cookie }, method: 'GET', url: '/ws', httpVersionMajor: 1 } as never);

  /** @returns a function that returns what PostgreSQL has logged since the call. */
  const postgresLog = async (): Promise<() => string> => {
    const [{ pid }] = await api.database.dataSource.query<[{ pid: number }]>(
      'SELECT pg_backend_pid() AS pid',
    );
    const file = `/proc/${pid}/fd/2`;
    const { size } = statSync(file);
    return () => readFileSync(file).subarray(size).toString();
  };

  /** The messages published on a user's channel while `work` runs. */
  const messagesPublishedTo = async (userId: number, work: () => Promise<unknown>): Promise<object[]> => {
    const subscriber = api.app.get<Redis>(REDIS).duplicate({ lazyConnect: true, enableOfflineQueue: true });
    const messages: object[] = [];
    await subscriber.connect();
    await subscriber.subscribe(userChannel(userId));
    subscriber.on('message', (_channel, message) => messages.push(JSON.parse(message) as object));
    await work();
    await subscriber.ping();
    subscriber.disconnect();
    return messages;
  };

  describe('registration', () => {
    it('creates a user whose handle is unrelated to the e-mail, and signs in', async () => {
      const email = `ada.lovelace.${randomUUID()}@example.org`;
      const browser = api.browser();
      const response = await browser.post('/api/register').send({ email, password }).expect(201);
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
      });
      expect(user.username).not.toMatch(/ada|lovelace/);
      await browser.get(`/api/user/${user.id}`).expect(200, user);
    });

    it('sets a cookie that is hidden from scripts and other sites', async () => {
      const response = await api.browser().post('/api/register').send({ email: newEmail(), password });
      const cookie = response.get('Set-Cookie')!.find((each) => each.startsWith('thaw.sid='))!;
      expect(cookie).toMatch(/; Path=\//);
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).toMatch(/; SameSite=Lax/);
      expect(cookie).not.toMatch(/Domain=|Secure/);
      const days = (Date.parse(/Expires=([^;]+)/.exec(cookie)![1]!) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(29.9);
      expect(days).toBeLessThan(30.1);
    });

    it('rejects a taken address regardless of case', async () => {
      const { email } = await register();
      const response = await api
        .browser()
        .post('/api/register')
        .send({ email: email.toUpperCase(), password });
      expect(response.status).toBe(409);
      expect(response.body).toEqual({ statusCode: 409, code: 'email_taken', message: expect.any(String) });
    });

    it('accepts one of ten concurrent registrations of an address', async () => {
      const email = newEmail();
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => api.browser().post('/api/register').send({ email, password })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
      const rows = await api.database.dataSource.query(
        `SELECT (SELECT count(*) FROM users WHERE email = $1) AS users,
                (SELECT count(*) FROM events e JOIN event_private p USING (event_id) WHERE p.data->>'email' = $1) AS events`,
        [email],
      );
      expect(rows).toEqual([{ users: '1', events: '1' }]);
    });

    it('passes an address on without an error in the log of PostgreSQL, which would quote the address', async () => {
      const [one, two, three] = [await register(), await register(), await register()];
      const wanted = newEmail();
      const log = await postgresLog();
      const changeTo = ({ browser, id }: { browser: Browser; id: number }, email: string) =>
        browser.put(`/api/user/${id}/email`).send({ newEmail: email, currentPassword: password });
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, () =>
          api.browser().post('/api/register').send({ email: wanted, password }),
        ),
        changeTo(one, wanted),
        changeTo(two, wanted.toUpperCase()),
        changeTo(three, one.email),
      ]);
      const successes = answers.slice(0, 7).filter(({ status }) => status < 300);
      expect(successes).toHaveLength(1);
      expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
      const written = log();
      expect(written).not.toContain('users_email_key');
      for (const email of [wanted, one.email]) expect(written).not.toContain(email);
    });

    it('stores passwords, session ids and e-mail addresses only where they belong', async () => {
      const { cookie, id, email } = await register();
      const sessionId = decodeURIComponent(cookie).replace('thaw.sid=s:', '').split('.')[0]!;
      const rows = await api.database.dataSource.query(
        `SELECT (SELECT json_agg(s) FROM sessions s)::text || (SELECT json_agg(c) FROM credentials c)::text AS secrets,
                (SELECT json_agg(e) FROM events e WHERE stream_id = $1)::text AS log`,
        [`user-${id}`],
      );
      expect(sessionId).toHaveLength(43);
      expect(rows[0].secrets).not.toContain(sessionId);
      expect(rows[0].secrets).not.toContain(password);
      expect(rows[0].secrets).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
      expect(rows[0].log).not.toContain(email);
    });
  });

  describe('validation of bodies', () => {
    const bad: [string, object][] = [
      ['no e-mail', { password }],
      ['no password', { email: 'a@example.org' }],
      ['a malformed e-mail', { email: 'nobody', password }],
      ['an e-mail with NUL', { email: 'a\u0000b@example.org', password }],
      ['an endless e-mail', { email: `${'a'.repeat(250)}@example.org`, password }],
      ['an operator for an e-mail', { email: { $ne: null }, password }],
      ['a list of e-mails', { email: ['a@example.org'], password }],
      ['five characters', { email: 'a@example.org', password: '12345' }],
      ['three emoji, which are six units', { email: 'a@example.org', password: '😀😀😀' }],
      ['129 characters', { email: 'a@example.org', password: 'x'.repeat(129) }],
      ['half a surrogate pair in a password', { email: 'a@example.org', password: 'secret\ud800' }],
      ['a number for a password', { email: 'a@example.org', password: 123456 }],
    ];
    it.each(bad)('answers 400 at register and login: %s', async (_what, body) => {
      for (const path of ['/api/register', '/api/login']) {
        const response = await api.browser().post(path).send(body);
        expect(response.status).toBe(400);
        expect(response.body).toEqual({
          statusCode: 400,
          code: 'validation_failed',
          message: expect.any(String),
        });
      }
    });

    it('accepts passwords of six to 128 code points and compares them exactly', async () => {
      const pairs = [
        ['😀'.repeat(6), '😀'.repeat(7)],
        ['😀'.repeat(128), '😀'.repeat(127)],
        ['  spaces  ', 'spaces'],
        ['e\u0301'.repeat(6), '\u00e9'.repeat(6)],
        ['Password', 'password'],
      ] as const;
      for (const [secret, nearMiss] of pairs) {
        const email = newEmail();
        await api.browser().post('/api/register').send({ email, password: secret }).expect(201);
        await login(email, api.browser(), secret).expect(200);
        await login(email, api.browser(), nearMiss).expect(401);
      }
    });

    it('drops unknown fields', async () => {
      const body = { email: newEmail(), password, isAdmin: true, id: 1 };
      const response = await api.browser().post('/api/register').send(body).expect(201);
      expect(response.body.user).not.toHaveProperty('isAdmin');
      expect(response.body.user.id).not.toBe(1);
    });
  });

  describe('login', () => {
    it('returns the user regardless of the case of the address', async () => {
      const { email, id } = await register();
      const response = await login(email.toUpperCase()).expect(200);
      expect(response.body.user).toMatchObject({ id, email });
    });

    it('answers a wrong password and an unknown address alike', async () => {
      const { email } = await register();
      const wrong = await login(email, api.browser(), 'wrong password').expect(401);
      const unknown = await login(newEmail()).expect(401);
      expect(wrong.body.code).toBe('invalid_credentials');
      expect(unknown.body).toEqual(wrong.body);
      expect(cookieOf(wrong)).toBeUndefined();
    });

    it('issues another session id and ends the previous login of the browser', async () => {
      const { browser, email, cookie, id } = await register();
      const messages = await messagesPublishedTo(id, async () => {
        const response = await login(email, browser).expect(200);
        expect(cookieOf(response)).not.toBe(cookie);
      });
      expect(await statusWith(cookie, id)).toBe(401);
      expect(messages).toMatchObject([{ kind: 'revoke', familyIds: [expect.any(String)] }]);
    });

    it('keeps logins in other browsers', async () => {
      const { email, id, cookie } = await register();
      await login(email).expect(200);
      expect(await statusWith(cookie, id)).toBe(200);
    });

    it('never adopts a session id that was not issued or has ended', async () => {
      const { browser, cookie } = await register();
      await browser.post('/api/logout').expect(204);
      for (const planted of [cookie, 'thaw.sid=s%3Aplanted.signature', 'thaw.sid=planted', 'thaw.sid=']) {
        const response = await api.browser().post('/api/anonymous').set('Cookie', planted).expect(201);
        expect(cookieOf(response)).toBeDefined();
        expect(cookieOf(response)).not.toBe(planted);
      }
    });

    it('rejects a cookie that has been tampered with', async () => {
      const { cookie, id } = await register();
      const other = cookie.replace(/s%3A./, (start) => `s%3A${start.endsWith('A') ? 'B' : 'A'}`);
      expect(await statusWith(other, id)).toBe(401);
      expect(await statusWith(cookie, id)).toBe(200);
    });
  });

  describe('limits on password guessing', () => {
    const guess = (email: string, browser = api.browser()) => login(email, browser, 'a wrong guess');

    it('block an account after five failures from any address', async () => {
      const { email } = await register();
      for (let attempt = 0; attempt < 5; attempt += 1) await guess(email).expect(401);
      const response = await guess(email.toUpperCase());
      expect(response.status).toBe(429);
      expect(response.body.code).toBe('rate_limited');
      expect(Number(response.get('Retry-After'))).toBeGreaterThan(60);
      expect(Number(response.get('Retry-After'))).toBeLessThanOrEqual(180);
      await login(email).expect(429);
    });

    it('do not lock the owner out on a known device', async () => {
      const { browser, email } = await register();
      await browser.post('/api/logout').expect(204);
      for (let attempt = 0; attempt < 6; attempt += 1) await guess(email);
      await login(email).expect(429);
      await login(email, browser).expect(200);
      await guess(email, browser).expect(401);
      await login(email, browser).expect(200);
    });

    it('apply to every device after a change of password, except the one that changed it', async () => {
      const { browser, email, id } = await register();
      const other = api.browser();
      await login(email, other).expect(200);
      await browser
        .put(`/api/user/${id}/password`)
        .send({ currentPassword: password, newPassword: 'another horse' })
        .expect(200);
      for (let attempt = 0; attempt < 5; attempt += 1) await guess(email).expect(401);
      await login(email, other, 'another horse').expect(429);
      await login(email, browser, 'another horse').expect(200);
    });

    it('are not relaxed by a device that is known for another user', async () => {
      const { browser } = await register();
      const victim = await register();
      for (let attempt = 0; attempt < 5; attempt += 1) await guess(victim.email, browser).expect(401);
      await guess(victim.email, browser).expect(429);
    });

    it('apply to addresses without an account as well', async () => {
      const email = newEmail();
      for (let attempt = 0; attempt < 5; attempt += 1) await guess(email).expect(401);
      await guess(email).expect(429);
    });

    it('count concurrent attempts', async () => {
      const { email } = await register();
      const responses = await Promise.all(Array.from({ length: 20 }, () => guess(email)));
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(15);
    });

    it('block a client address after sixty failures across accounts', async () => {
      const browser = api.browser();
      const responses = await Promise.all(Array.from({ length: 60 }, () => guess(newEmail(), browser)));
      expect(responses.map(({ status }) => status)).toEqual(Array(60).fill(401));
      await guess(newEmail(), browser).expect(429);
      await guess(newEmail()).expect(401);
    });

    it('do not count successful logins', async () => {
      const { email } = await register();
      for (let attempt = 0; attempt < 8; attempt += 1) await login(email).expect(200);
    });
  });

  describe('an anonymous start', () => {
    it('creates a user, with or without a body', async () => {
      const response = await api.browser().post('/api/anonymous').send({}).expect(201);
      expect(response.body.user).toMatchObject({ isAnonymous: true, email: null, gender: null });
      await api.browser().post('/api/anonymous').expect(201);
    });

    it('returns the same user for a valid anonymous session (A14)', async () => {
      const { browser, id } = await startAnonymous();
      const again = await browser.post('/api/anonymous').expect(200);
      expect(again.body.user.id).toBe(id);
      expect(cookieOf(again)).toBeUndefined();
    });

    it('signs a registered user out first (A14)', async () => {
      const { browser, id, cookie } = await register();
      const other = await startAnonymous(browser);
      expect(other.id).not.toBe(id);
      expect(await statusWith(cookie, id)).toBe(401);
    });

    it('is limited to sixty per minute and client address', async () => {
      const address = '198.51.100.7';
      expect(await api.app.get(RateLimiterService).take('anonymous', address, 55)).toMatchObject({
        allowed: true,
      });
      const responses = await Promise.all(
        Array.from({ length: 30 }, () =>
          api.browser().post('/api/anonymous').set('X-Forwarded-For', address),
        ),
      );
      const made = responses.filter(({ status }) => status === 201).length;
      expect(made).toBeGreaterThanOrEqual(5);
      expect(made).toBeLessThan(30);
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(30 - made);
    });
  });

  describe('logout', () => {
    it('ends the session, closes its sockets and clears the cookie', async () => {
      const { browser, cookie, id } = await register();
      const familyId = (await identify(cookie))!.familyId;
      const messages = await messagesPublishedTo(id, async () => {
        const response = await browser.post('/api/logout').expect(204);
        expect(response.get('Set-Cookie')!.join()).toMatch(/thaw\.sid=;.*Expires=Thu, 01 Jan 1970/);
      });
      expect(messages).toEqual([{ kind: 'revoke', familyIds: [familyId] }]);
      expect(await statusWith(cookie, id)).toBe(401);
      expect(await identify(cookie)).toBeNull();
      await browser.get(`/api/user/${id}`).expect(401);
    });

    it('keeps the other logins of the user', async () => {
      const { browser, email, id } = await register();
      const other = cookieOf(await login(email))!;
      await browser.post('/api/logout').expect(204);
      expect(await statusWith(other, id)).toBe(200);
    });

    it('succeeds without a login', async () => {
      await api.browser().post('/api/logout').expect(204);
    });
  });

  describe('conversion of an anonymous account', () => {
    it('keeps the user and the login, and issues another session id (A16)', async () => {
      const { browser, id, cookie } = await startAnonymous();
      const before = await identify(cookie);
      const email = newEmail();
      const response = await browser
        .post('/api/convert-anonymous')
        .send({ userId: id, email, password })
        .expect(200);
      expect(response.body.user).toMatchObject({ id, email, isAnonymous: false });
      expect(await statusWith(cookie, id)).toBe(401);
      expect(await identify(cookieOf(response)!)).toEqual(before);
      expect((await login(email).expect(200)).body.user.id).toBe(id);
    });

    it('is refused for other users, registered users, a taken address and visitors without a login', async () => {
      const convert = (browser: Browser, userId: number, email = newEmail()) =>
        browser.post('/api/convert-anonymous').send({ userId, email, password });
      const one = await startAnonymous();
      const two = await startAnonymous();
      const registered = await register();
      expect((await convert(one.browser, two.id)).body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect((await convert(registered.browser, registered.id)).body).toMatchObject({
        code: 'not_anonymous',
      });
      expect((await convert(one.browser, one.id, registered.email)).body).toMatchObject({
        code: 'email_taken',
      });
      expect((await convert(api.browser(), one.id)).body).toMatchObject({
        statusCode: 401,
        code: 'not_signed_in',
      });
      await one.browser.get(`/api/user/${one.id}`).expect(200);
    });

    it('succeeds once when requested concurrently', async () => {
      const { cookie, id } = await startAnonymous();
      const responses = await Promise.all(
        Array.from({ length: 6 }, () =>
          api
            .browser()
            .post('/api/convert-anonymous')
            .set('Cookie', cookie)
            .send({ userId: id, email: newEmail(), password }),
        ),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ status }) => status >= 500)).toHaveLength(0);
    });
  });

  describe('change of e-mail', () => {
    it('requires the password, moves this browser to a new family and keeps other logins', async () => {
      const { browser, id, email, cookie } = await register();
      const other = cookieOf(await login(email))!;
      const before = await identify(cookie);
      const fresh = newEmail();
      const change = (currentPassword: string, to = fresh) =>
        browser.put(`/api/user/${id}/email`).send({ newEmail: to, currentPassword });
      expect((await change('wrong')).body).toMatchObject({ statusCode: 403, code: 'wrong_password' });
      const response = await change(password).expect(200);
      expect(response.body.user).toMatchObject({ id, email: fresh });
      expect(await statusWith(cookie, id)).toBe(401);
      expect(await identify(cookieOf(response)!)).toEqual({
        userId: id,
        familyId: expect.not.stringContaining(before!.familyId),
      });
      expect(await statusWith(other, id)).toBe(200);
      await login(fresh).expect(200);
      await login(email).expect(401);
    });

    it('is refused for a taken address, for other users and for anonymous users', async () => {
      const one = await register();
      const two = await register();
      const anonymous = await startAnonymous();
      const change = (browser: Browser, id: number, to = newEmail()) =>
        browser.put(`/api/user/${id}/email`).send({ newEmail: to, currentPassword: password });
      expect((await change(one.browser, one.id, two.email)).body).toMatchObject({
        statusCode: 409,
        code: 'email_taken',
      });
      expect((await change(one.browser, two.id)).body).toMatchObject({ statusCode: 403, code: 'forbidden' });
      expect((await change(anonymous.browser, anonymous.id)).body).toMatchObject({
        statusCode: 403,
        code: 'forbidden',
      });
    });
  });

  describe('change of password', () => {
    const change = (
      browser: Browser,
      id: number,
      currentPassword = password,
      newPassword = 'another horse',
    ) => browser.put(`/api/user/${id}/password`).send({ currentPassword, newPassword });

    it('ends every other login and moves this one to a new family', async () => {
      const { browser, id, email, cookie } = await register();
      const others = [cookieOf(await login(email))!, cookieOf(await login(email))!];
      const before = await identify(cookie);
      let response: Response | undefined;
      const messages = await messagesPublishedTo(id, async () => {
        response = await change(browser, id).expect(200, { success: true });
      });
      expect(messages[0]).toEqual({ kind: 'revoke', familyIds: 'all', exceptFamilyId: before!.familyId });
      for (const other of others) expect(await statusWith(other, id)).toBe(401);
      expect(await statusWith(cookie, id)).toBe(401);
      const after = await identify(cookieOf(response!)!);
      expect(after).toMatchObject({ userId: id });
      expect(after!.familyId).not.toBe(before!.familyId);
      await browser.get(`/api/user/${id}`).expect(200);
      await login(email).expect(401);
      await login(email, api.browser(), 'another horse').expect(200);
    });

    it('rejects a current or new password that is not well-formed Unicode', async () => {
      const { browser, id } = await register();
      for (const [current, next] of [
        [`${password}\ud800`, 'another horse'],
        [password, 'another horse\udc00'],
      ]) {
        expect((await change(browser, id, current, next)).body.code).toBe('validation_failed');
      }
    });

    it('requires the current password and limits guesses', async () => {
      const { browser, id } = await register();
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await change(browser, id, 'wrong')).body.code).toBe('wrong_password');
      }
      await change(browser, id, 'wrong').expect(429);
    });

    it('invalidates logins in progress with the old password', async () => {
      const { browser, id, email } = await register();
      const attempts = Array.from({ length: 12 }, () => login(email));
      const [changed, ...logins] = await Promise.all([change(browser, id), ...attempts]);
      expect(changed.status).toBe(200);
      for (const attempt of logins) {
        const cookie = cookieOf(attempt);
        if (cookie) expect(await statusWith(cookie, id)).toBe(401);
        else expect([401, 429]).toContain(attempt.status);
      }
    });

    it('is refused for another user', async () => {
      const one = await register();
      const two = await register();
      expect((await change(one.browser, two.id)).body).toMatchObject({ statusCode: 403, code: 'forbidden' });
    });
  });

  describe('a session', () => {
    const setSession = (id: number, assignment: string) =>
      api.database.dataSource.query(`UPDATE sessions SET ${assignment} WHERE user_id = $1`, [id]);

    it('ends when it expires', async () => {
      const { browser, id, cookie } = await register();
      await setSession(id, `expires_at = now() - interval '1 second'`);
      await browser.get(`/api/user/${id}`).expect(401);
      expect(await identify(cookie)).toBeNull();
    });

    it('is extended at most once an hour', async () => {
      const { browser, id } = await register();
      const get = () => browser.get(`/api/user/${id}`).expect(200);
      expect(cookieOf(await get())).toBeUndefined();
      await setSession(
        id,
        `refreshed_at = now() - interval '2 hours', expires_at = now() + interval '1 day'`,
      );
      expect(cookieOf(await get())).toBeDefined();
      expect(cookieOf(await get())).toBeUndefined();
      const [row] = await api.database.dataSource.query(
        `SELECT expires_at > now() + interval '29 days' AS renewed FROM sessions WHERE user_id = $1`,
        [id],
      );
      expect(row).toEqual({ renewed: true });
    });

    it('is identified by its family on sockets while it lives', async () => {
      const { browser, cookie, id } = await register();
      const identities = api.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
      const identity = (await identify(cookie))!;
      expect(identity.userId).toBe(id);
      const unknown = randomUUID();
      expect(await identities.liveFamilies([identity.familyId, unknown])).toEqual(
        new Set([identity.familyId]),
      );
      await browser.post('/api/logout').expect(204);
      expect(await identities.liveFamilies([identity.familyId])).toEqual(new Set());
    });
  });
});
