// Uses real PostgreSQL and Redis and a whole api replica over HTTP.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProblem } from '../../testing/problem-body.functions';
import { until } from '../../testing/until.functions';
import { startTestApi, type TestApi } from '../../testing/test-api.harness';
import { AppLoggerService } from '../observability/app-logger.service';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';

jest.setTimeout(30_000);

describe('the HTTP platform', () => {
  let api: TestApi;
  let publicFolder: string;

  beforeAll(async () => {
    // The replica serves this folder in place of the built frontend.
    publicFolder = mkdtempSync(join(tmpdir(), 'thaw-page-'));
    mkdirSync(join(publicFolder, 'assets'));
    writeFileSync(join(publicFolder, 'index.html'), '<title>application</title>');
    writeFileSync(join(publicFolder, 'landing.html'), '<title>landing</title>');
    writeFileSync(join(publicFolder, 'terms.html'), '<title>terms</title>');
    writeFileSync(join(publicFolder, 'chat.html'), '<title>chat</title>');
    writeFileSync(join(publicFolder, 'favicon.svg'), '<svg/>');
    writeFileSync(join(publicFolder, '.env'), 'SECRET=1');
    // The name contains a hash of the content, as in a build.
    writeFileSync(join(publicFolder, 'assets', 'index-DiwrgTda.js'), 'export {}');
    api = await startTestApi({ PUBLIC_DIR: publicFolder });
  });
  afterAll(async () => {
    await api.close();
    rmSync(publicFolder, { recursive: true });
  });

  describe('an unknown route', () => {
    it.each([
      ['get', '/api'],
      ['get', '/api/'],
      ['get', '/api/unknown'],
      ['get', '/api/login'], // exists for POST only
      ['delete', '/api/user/1'], // exists for other methods only
      ['post', '/api/../../etc/passwd'], // paths outside /api exist for GET and HEAD only
      ['post', '/'],
      ['get', '/ws'],
    ] as const)('is answered with a JSON 404: %s %s', async (method, path) => {
      const response = await api.openBrowser()[method](path);
      expect(response.body).toEqual(createProblem(404, 'not_found'));
    });

    it('is answered with a 400 and no details when the path cannot be decoded', async () => {
      const response = await api.openBrowser().get('/api/user/%E0%A4%A').expect(400);
      expect(response.body).toEqual(createProblem(400, 'validation_failed'));
    });
  });

  describe('response headers', () => {
    it.each(['/api/unknown', '/', '/chat', '/assets/index-DiwrgTda.js', '/unknown-page'])(
      'include the security headers for %s',
      async (path) => {
        const { headers } = await api.openBrowser().get(path).set('Host', 'thaw.example.org:8080');
        expect(headers['content-security-policy']).toBe(
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
            "font-src 'self'; manifest-src 'self'; connect-src 'self' ws://thaw.example.org:8080 wss://thaw.example.org:8080; " +
            "form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
        );
        expect(headers['x-content-type-options']).toBe('nosniff');
        expect(headers['referrer-policy']).toBe('no-referrer');
        expect(headers['permissions-policy']).toMatch(/camera=\(\), microphone=\(\), geolocation=\(\)/);
        expect(headers).not.toHaveProperty('x-powered-by');
        expect(headers).not.toHaveProperty('server');
        expect(headers).not.toHaveProperty('strict-transport-security');
      },
    );

    it('forbid caching of API responses', async () => {
      const { headers } = await api.openBrowser().get('/api/unknown');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('etag');
    });

    it('do not contain a malformed Host header', async () => {
      const { headers } = await api.openBrowser().get('/').set('Host', "x; script-src 'unsafe-inline'");
      expect(headers['content-security-policy']).toContain("connect-src 'self';");
    });
  });

  describe('a page', () => {
    const get = (path: string) => api.openBrowser().get(path);

    it.each([
      ['/', 'landing'],
      ['/terms', 'terms'],
      ['/chat', 'chat'],
      ['/chat/', 'chat'],
      ['/chat?friend=12', 'chat'],
    ])('is the file of its path: %s', async (path, title) => {
      const response = await get(path).expect(200);
      expect(response.text).toContain(title);
    });

    it.each([
      '/privacy/',
      '/auth',
      '/auth?register=true',
      '/rules',
      '/moderation',
      '/moderation/',
      '/receipt?id=abc',
    ])('is the application (index.html) at a known path that has no file of its own: %s', async (path) => {
      const response = await get(path).expect(200);
      expect(response.text).toContain('application');
      expect(response.headers['cache-control']).toBe('no-cache');
    });

    it.each([
      '/unknown-page',
      '/chat/1',
      '/assets/gone-12345678.js',
      '/.env',
      '/assets',
      '/..%2fpackage.json',
    ])('is the application, with status 404, at an unknown path: %s', async (path) => {
      const response = await get(path).expect(404);
      expect(response.text).toContain('application');
    });

    it('may be cached permanently only if it is a file with a hash in its name', async () => {
      const hashed = await get('/assets/index-DiwrgTda.js').expect(200);
      expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const plain = await get('/favicon.svg').expect(200);
      expect(plain.headers['cache-control']).toBe('no-cache');
    });

    it('is also served to HEAD requests', async () => {
      await api.openBrowser().head('/').expect(200);
    });
  });

  describe('rate limits', () => {
    it('allow an address 600 API calls at once, and do not apply to pages', async () => {
      const address = '198.51.100.23';
      const capacity = 600;
      const tokensLeft = 10;
      const callCount = 60;
      const getFromAddress = (path: string) => api.openBrowser().get(path).set('X-Forwarded-For', address);
      const callApi = () => getFromAddress('/api/unknown');
      const limiter = api.app.get(RateLimiterService);
      // One call takes one token. The limiter takes the others, except `tokensLeft`.
      await callApi().expect(404);
      expect(await limiter.take('http', address, capacity - 1 - tokensLeft)).toMatchObject({ allowed: true });
      const responses = await Promise.all(Array.from({ length: callCount }, callApi));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      // The bucket is refilled meanwhile, so more than `tokensLeft` calls may be allowed.
      expect(refused.length).toBeLessThanOrEqual(callCount - tokensLeft);
      expect(refused[0]!.body).toEqual(createProblem(429, 'rate_limited'));
      expect(Number(refused[0]!.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      await getFromAddress('/').expect(200);
    });
  });

  describe('a connection', () => {
    it('is closed with 408 when its request headers are incomplete after ten seconds', async () => {
      const { port } = api.app.getHttpServer().address() as AddressInfo;
      const startedAt = performance.now();
      const response = await new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write('GET / HTTP/1.1\r\nHost: thaw\r\nX-Slow: '),
        );
        let text = '';
        socket.on('data', (bytes) => (text += bytes.toString()));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
      });
      expect(response).toMatch(/^HTTP\/1\.1 408 /);
      // The server checks its connections every two seconds, so it closes this one up to two seconds late. The bounds
      // also allow for inaccurate timers and a busy machine.
      expect(performance.now() - startedAt).toBeGreaterThan(9_500);
      expect(performance.now() - startedAt).toBeLessThan(16_000);
    });
  });

  describe('the request log', () => {
    it('describes each request without its query, body, e-mail addresses or cookies', async () => {
      const writeSpy = jest.spyOn(api.app.get(AppLoggerService), 'write');
      const browser = api.openBrowser();
      const email = `log.${Math.random()}@example.org`;
      const requestId = '0d31be7ac4b84d6e9f4b3c1b7f0a2e55';
      const response = await browser
        .post('/api/register?token=querysecret')
        .send({ email, password: 'hunter22' });
      const { id } = response.body.user;
      // The request ids that proxies generate are UUIDs or 32 hexadecimal digits. An id of any other form is not
      // logged, because it could contain any text.
      const login = browser.post('/api/login').set('X-Request-Id', 'my-secret-words-1');
      await login.send({ email, password: 'wrong-hunter' });
      await browser.get(`/api/user/${id}?token=querysecret`).set('X-Request-Id', requestId);
      await until(() => writeSpy.mock.calls.length >= 3);
      const lines = writeSpy.mock.calls.map(([level, message, fields]) => ({ level, message, ...fields }));
      writeSpy.mockRestore();

      expect(lines).toEqual([
        expect.objectContaining({ method: 'POST', route: '/api/register', status: 201, userId: id }),
        expect.objectContaining({
          method: 'POST',
          route: '/api/login',
          status: 401,
          code: 'invalid_credentials',
        }),
        expect.objectContaining({
          method: 'GET',
          route: '/api/user/:id',
          status: 200,
          correlationId: requestId,
        }),
      ]);
      const allowedFields = [
        'level',
        'message',
        'correlationId',
        'method',
        'route',
        'status',
        'durationMs',
        'userId',
        'code',
      ];
      const loggedFields = lines.flatMap((line) => Object.keys(line));
      expect(loggedFields.filter((field) => !allowedFields.includes(field))).toEqual([]);
      expect(JSON.stringify(lines)).not.toMatch(/example\.org|hunter|querysecret|secret-words|thaw\.sid/);
      expect(response.headers['x-request-id']).toBe(lines[0]!.correlationId);
    });
  });
});

describe('an api replica behind a proxy that ends TLS', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ PUBLIC_ORIGIN: 'https://thaw.example.org', API_DOCS: 'off' });
  });
  afterAll(() => api.close());

  it('sends Secure cookies bound to the host, and HSTS', async () => {
    const response = await api
      .openBrowser()
      .post('/api/register')
      .send({ email: 'tls@example.org', password: 'secret' });
    expect(response.status).toBe(201);
    const cookies = response.get('Set-Cookie')!;
    expect(cookies.map((cookie) => cookie.split('=')[0]).sort()).toEqual([
      '__Host-thaw.device', // for the limits on password guessing
      '__Host-thaw.did', // the id by which the browser of a sanctioned user is recognised
      '__Host-thaw.sid', // the session
    ]);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; Path=\/;/);
      expect(cookie).toMatch(/; Secure/);
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).not.toMatch(/Domain/);
    }
    expect(response.headers['strict-transport-security']).toBe(`max-age=${365 * 24 * 60 * 60}`);
    expect(response.headers['content-security-policy']).toContain(
      "connect-src 'self' ws://thaw.example.org wss://thaw.example.org;",
    );
    const cookieHeader = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
    await api.openBrowser().get(`/api/user/${response.body.user.id}`).set('Cookie', cookieHeader).expect(200);
  });

  it('allows only the public origin, whatever the Host header', async () => {
    const postWith = (headers: Record<string, string>) =>
      api.openBrowser().post('/api/anonymous').set(headers);
    await postWith({ Origin: 'https://thaw.example.org' }).expect(201);
    await postWith({ Origin: 'https://evil.example.org', Host: 'evil.example.org' }).expect(403);
  });

  it('serves no API docs when they are switched off', async () => {
    await api.openBrowser().get('/api/docs').expect(404);
    await api.openBrowser().get('/api/docs/openapi.json').expect(404);
  });
});

/** The number of calls that the rate limit `convert_anonymous` allows an address at once. */
const CONVERSIONS_AT_ONCE = 60;

describe('the address of a client', () => {
  /**
   * Whether a call with this X-Forwarded-For header is charged to `address`. The rate limit of `address` is exhausted
   * first, so that such a call is refused with 429. The body of the call is invalid, because a call that is not refused
   * need not succeed.
   */
  const isChargedTo = async (
    address: string,
    { trustedProxyCount, forwardedFor }: { trustedProxyCount: number; forwardedFor: string },
  ) => {
    const api = await startTestApi({ TRUST_PROXY: String(trustedProxyCount) });
    try {
      const browser = api.openBrowser();
      // The address of this call does not matter.
      const { body } = await browser.post('/api/anonymous').set('X-Forwarded-For', '198.51.100.99');
      await api.app.get(RateLimiterService).take('convert_anonymous', address, CONVERSIONS_AT_ONCE);
      const response = await browser
        .post('/api/convert-anonymous')
        .set('X-Forwarded-For', forwardedFor)
        .send({ userId: body.user.id, email: 'not an address', password: '' });
      return response.status === 429;
    } finally {
      await api.close();
    }
  };

  it('is the address of the connection, whatever the headers claim, when no proxy is trusted', async () => {
    const forged = { trustedProxyCount: 0, forwardedFor: '203.0.113.200' };
    expect(await isChargedTo('127.0.0.1', forged)).toBe(true);
  });

  it('is the last entry of X-Forwarded-For, which the trusted proxy adds, when one proxy is trusted', async () => {
    const forwarded = { trustedProxyCount: 1, forwardedFor: '203.0.113.201, 203.0.113.202' };
    expect(await isChargedTo('203.0.113.202', forwarded)).toBe(true);
  });

  it('is not an earlier entry of X-Forwarded-For, which the client can forge, when one proxy is trusted', async () => {
    const forwarded = { trustedProxyCount: 1, forwardedFor: '203.0.113.203, 203.0.113.204' };
    expect(await isChargedTo('203.0.113.203', forwarded)).toBe(false);
  });
});
