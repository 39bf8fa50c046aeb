// Uses real PostgreSQL and Redis and a whole api replica over HTTP.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { until } from '../../testing/until.functions';
import { startTestApi, type TestApi } from '../../testing/test-api.harness';
import { AppLoggerService } from '../observability/app-logger.service';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';

jest.setTimeout(30_000);

const problem = (statusCode: number, code: string) => ({ statusCode, code, message: expect.any(String) });

describe('the HTTP platform', () => {
  let api: TestApi;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'thaw-page-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<title>application</title>');
    writeFileSync(join(folder, 'landing.html'), '<title>landing</title>');
    writeFileSync(join(folder, 'terms.html'), '<title>terms</title>');
    writeFileSync(join(folder, 'chat.html'), '<title>chat</title>');
    writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
    writeFileSync(join(folder, '.env'), 'SECRET=1');
    writeFileSync(join(folder, 'assets', 'index-DiwrgTda.js'), 'export {}');
    api = await startTestApi({ PUBLIC_DIR: folder, ALLOWED_ORIGINS: 'https://partner.example.org' });
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const register = () => api.browser().post('/api/register');
  const valid = () => JSON.stringify({ email: `${Math.random()}@example.org`, password: 'secret' });

  describe('a request body', () => {
    it.each([
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'application/jsonp',
      'application/vnd.api+json',
      '',
    ])('of type %j is refused with 415', async (type) => {
      const response = await register().set('Content-Type', type).send(valid());
      expect(response.body).toEqual(problem(415, 'unsupported_type'));
    });

    it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])(
      'of type %j is accepted',
      async (type) => {
        await register().set('Content-Type', type).send(valid()).expect(201);
      },
    );

    it('that is compressed is refused with 415', async () => {
      const response = await register()
        .set('Content-Type', 'application/json')
        .set('Content-Encoding', 'gzip')
        .serialize((body: unknown) => body as string)
        .send(gzipSync(valid()) as unknown as string);
      expect(response.body).toEqual(problem(415, 'unsupported_type'));
    });

    it('over 32 KB is refused with 413, with and without a Content-Length', async () => {
      const body = JSON.stringify({
        email: 'a@example.org',
        password: 'secret',
        more: 'x'.repeat(32 * 1024),
      });
      const response = await register().set('Content-Type', 'application/json').send(body);
      expect(response.body).toEqual(problem(413, 'too_large'));
      const { port } = api.app.getHttpServer().address() as AddressInfo;
      const status = await new Promise((resolve, reject) => {
        const upload = httpRequest(
          {
            port,
            host: '127.0.0.1',
            path: '/api/register',
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
          },
          (answer) => resolve(answer.statusCode),
        );
        upload.on('error', reject);
        upload.write(body);
        upload.end();
      });
      expect(status).toBe(413);
    });

    it.each([
      ['broken', '{"email":'],
      ['empty text', ' '],
      ['a list', '[]'],
      ['a string', '"x"'],
      ['null', 'null'],
      ['a number', '1'],
      ['deep', '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)],
      ['deep in lists', `{"a":${'['.repeat(14_000)}${']'.repeat(14_000)}}`],
      ['deep by a trick with quotes', `{"\\"":${'['.repeat(100)}"]"${']'.repeat(100)}}`],
      ['with __proto__', '{"email":"a@example.org","password":"secret","__proto__":{"isAdmin":true}}'],
      ['with constructor, further in', '{"email":"a@example.org","password":"secret","a":{"constructor":1}}'],
      ['with an escaped prototype', '{"email":"a@example.org","password":"secret","proto\\u0074ype":1}'],
      ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ])('is refused with 400: %s', async (_what, body) => {
      const response = await register()
        .set('Content-Type', 'application/json')
        .serialize((text: unknown) => text as string)
        .send(body as string);
      expect(response.body).toEqual(problem(400, 'validation_failed'));
      const untouched: { isAdmin?: boolean } = {};
      expect(untouched.isAdmin).toBeUndefined();
    });

    it('is never quoted in the response', async () => {
      const response = await register().send({ email: '<script>alert(1)</script>', password: 'hunter2' });
      expect(response.status).toBe(400);
      expect(response.text).not.toMatch(/script|hunter2/);
    });
  });

  describe('the origin check', () => {
    const post = (headers: Record<string, string>) => api.browser().post('/api/anonymous').set(headers);

    it.each([
      { Origin: 'https://evil.example.org' },
      { Origin: 'null' },
      { Origin: 'not an origin' },
      { Origin: 'http://localhost:1', Host: 'localhost:2' },
      { Origin: 'ftp://thaw.example.org', Host: 'thaw.example.org' },
      { Origin: 'app://thaw.example.org', Host: 'thaw.example.org' },
      { Origin: 'chrome-extension://thaw.example.org', Host: 'thaw.example.org' },
      { Origin: 'http://thaw.example.org.evil.org', Host: 'thaw.example.org' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'http://thaw.example.org', Host: 'thaw.example.org', 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[])('refuses a request with %j', async (headers) => {
      const response = await post(headers);
      expect(response.body).toEqual(problem(403, 'bad_origin'));
      expect(response.get('Set-Cookie')).toBeUndefined();
    });

    it.each([
      {},
      { 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'http://thaw.example.org', Host: 'thaw.example.org', 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'https://thaw.example.org', Host: 'thaw.example.org' },
      { Origin: 'https://thaw.example.org', Host: 'thaw.example.org:443' },
      { Origin: 'https://partner.example.org', 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[])('allows a request with %j', async (headers) => {
      await post(headers).expect(201);
    });

    it.each(['put', 'patch', 'delete'] as const)(
      'refuses a foreign origin for the method %s on any route',
      async (method) => {
        const response = await api.browser()[method]('/api/user/1').set('Origin', 'https://evil.example.org');
        expect(response.body).toEqual(problem(403, 'bad_origin'));
      },
    );

    it('sends no CORS headers', async () => {
      for (const method of ['get', 'options'] as const) {
        const browser = api.browser();
        const response = await browser[method]('/api/user/1').set('Origin', 'https://partner.example.org');
        expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });
  });

  describe('an unknown route', () => {
    it.each([
      ['get', '/api'],
      ['get', '/api/'],
      ['get', '/api/nothing'],
      ['get', '/api/login'],
      ['delete', '/api/user/1'],
      ['post', '/api/../../etc/passwd'],
      ['post', '/'],
      ['get', '/ws'],
    ] as const)('is answered with a JSON 404: %s %s', async (method, path) => {
      const response = await api.browser()[method](path);
      expect(response.body).toEqual(problem(404, 'not_found'));
    });

    it('is answered without a stack trace when the path cannot be decoded', async () => {
      const response = await api.browser().get('/api/user/%E0%A4%A').expect(400);
      expect(response.body).toEqual(problem(400, 'validation_failed'));
    });
  });

  describe('response headers', () => {
    it.each(['/api/nothing', '/', '/chat', '/assets/index-DiwrgTda.js', '/nowhere'])(
      'include the security headers for %s',
      async (path) => {
        const { headers } = await api.browser().get(path).set('Host', 'thaw.example.org:8080');
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
      const { headers } = await api.browser().get('/api/nothing');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('etag');
    });

    it('do not contain a malformed Host header', async () => {
      const { headers } = await api.browser().get('/').set('Host', "x; script-src 'unsafe-inline'");
      expect(headers['content-security-policy']).toContain("connect-src 'self';");
    });
  });

  describe('the page', () => {
    const get = (path: string) => api.browser().get(path);

    it('serves the landing page, the application, and 404 with the application (A162)', async () => {
      expect((await get('/').expect(200)).text).toContain('landing');
      expect((await get('/terms').expect(200)).text).toContain('terms');
      // The test folder has no privacy.html, so the application is served instead.
      expect((await get('/privacy/').expect(200)).text).toContain('application');
      for (const path of ['/chat', '/chat/', '/chat?friend=12'])
        expect((await get(path).expect(200)).text).toContain('chat');
      for (const path of ['/auth', '/auth?register=true']) {
        const response = await get(path).expect(200);
        expect(response.text).toContain('application');
        expect(response.headers['cache-control']).toBe('no-cache');
      }
      for (const path of [
        '/nowhere',
        '/chat/1',
        '/assets/gone-12345678.js',
        '/.env',
        '/assets',
        '/..%2fpackage.json',
      ]) {
        const response = await get(path).expect(404);
        expect(response.text).toContain('application');
      }
    });

    it('caches only files with a hash in their name permanently', async () => {
      const hashed = await get('/assets/index-DiwrgTda.js').expect(200);
      expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const plain = await get('/favicon.svg').expect(200);
      expect(plain.headers['cache-control']).toBe('no-cache');
    });

    it('answers HEAD requests', async () => {
      await api.browser().head('/').expect(200);
    });
  });

  describe('OpenAPI', () => {
    it('is version 3.1 and describes every route, its body and its errors', async () => {
      const { body } = await api.browser().get('/api/docs/openapi.json').expect(200);
      expect(body.openapi).toMatch(/^3\.1\./);
      const calls = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      );
      expect(calls).toEqual(
        expect.arrayContaining([
          'post /api/login',
          'post /api/register',
          'post /api/anonymous',
          'post /api/logout',
          'post /api/convert-anonymous',
          'get /api/user/{id}',
          'put /api/user/{id}',
          'patch /api/user/{id}',
          'put /api/user/{id}/email',
          'put /api/user/{id}/password',
        ]),
      );
      expect(body.components.schemas.CredentialsDto).toEqual({
        type: 'object',
        properties: {
          email: { type: 'string', format: 'email', maxLength: 254 },
          password: { type: 'string', format: 'password', minLength: 6, maxLength: 128 },
        },
        required: ['email', 'password'],
      });
      expect(Object.keys(body.paths['/api/login'].post.responses)).toEqual(
        expect.arrayContaining(['200', '400', '401', '429', '503']),
      );
    });

    it('describes the errors common to all routes and the range of every number', async () => {
      interface Operation {
        parameters?: { in: string; name: string; schema: { type: string; minimum?: number } }[];
        requestBody?: object;
        responses: Record<string, { description: string; headers?: object }>;
      }
      const { body } = await api.browser().get('/api/docs/openapi.json').expect(200);
      const paths = body.paths as Record<string, Record<string, Operation>>;
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, { parameters = [], requestBody, responses }] of Object.entries(operations)) {
          const statuses = ['429', '503'];
          if (method !== 'get') statuses.push('403', '413', '415');
          if (requestBody) statuses.push('400');
          if (parameters.some((parameter) => parameter.in === 'path')) statuses.push('404');
          expect([path, method, Object.keys(responses)]).toEqual([
            path,
            method,
            expect.arrayContaining(statuses),
          ]);
          expect(responses[429]!.headers).toHaveProperty('Retry-After');
          for (const { schema } of parameters) {
            if (schema.type !== 'string') {
              expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
            }
          }
        }
      }
      expect(paths['/api/friends/request']!.post!.responses[403]!.description).toContain('bad_origin');
    });

    it('is also served as a page', async () => {
      const response = await api.browser().get('/api/docs').expect(200);
      expect(response.headers['content-type']).toMatch(/html/);
      // The content security policy requires scripts to be files of the same origin.
      expect(response.text).not.toMatch(/<script(?![^>]*src=)[^>]*>\s*\S/);
      const scripts = [...response.text.matchAll(/<script[^>]*src="\.?([^"]+)"/g)].map(([, path]) => path!);
      expect(scripts.length).toBeGreaterThan(0);
      for (const path of scripts) {
        const script = await api
          .browser()
          .get(path.replace(/^\/docs/, '/api/docs'))
          .expect(200);
        expect(script.headers['content-type']).toMatch(/javascript/);
      }
    });
  });

  describe('rate limits', () => {
    it('allow an address 600 API calls per minute and do not apply to the page', async () => {
      const address = '198.51.100.23';
      const get = (path: string) => api.browser().get(path).set('X-Forwarded-For', address);
      await get('/api/nothing').expect(404);
      expect(await api.app.get(RateLimiterService).take('http', address, 589)).toMatchObject({
        allowed: true,
      });
      const responses = await Promise.all(Array.from({ length: 60 }, () => get('/api/nothing')));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThanOrEqual(50);
      expect(refused[0]!.body).toEqual(problem(429, 'rate_limited'));
      expect(Number(refused[0]!.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      await get('/').expect(200);
    });
  });

  describe('a slow client', () => {
    it('is disconnected after ten seconds when its headers do not end', async () => {
      const { port } = api.app.getHttpServer().address() as AddressInfo;
      const startedAt = performance.now();
      const answer = await new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write('GET / HTTP/1.1\r\nHost: thaw\r\nX-Slow: '),
        );
        let text = '';
        socket.on('data', (bytes) => (text += bytes.toString()));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
      });
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(performance.now() - startedAt).toBeGreaterThan(9_500);
      expect(performance.now() - startedAt).toBeLessThan(16_000);
    });
  });

  describe('the log', () => {
    it('describes each request without any of its content', async () => {
      const write = jest.spyOn(api.app.get(AppLoggerService), 'write');
      const browser = api.browser();
      const email = `log.${Math.random()}@example.org`;
      const response = await browser
        .post('/api/register?token=querysecret')
        .send({ email, password: 'hunter22' });
      const { id } = response.body.user;
      await browser.post('/api/login').send({ email, password: 'wrong-hunter' });
      await browser.get(`/api/user/${id}?token=querysecret`).set('X-Request-Id', 'my-request-id-1');
      await until(() => write.mock.calls.length >= 3);
      const lines = write.mock.calls.map(([level, message, fields]) => ({ level, message, ...fields }));
      write.mockRestore();

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
          correlationId: 'my-request-id-1',
        }),
      ]);
      const allowed = [
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
      for (const line of lines) expect(allowed).toEqual(expect.arrayContaining(Object.keys(line)));
      expect(JSON.stringify(lines)).not.toMatch(/example\.org|hunter|querysecret|thaw\.sid/);
      expect(response.headers['x-request-id']).toBe(lines[0]!.correlationId);
    });
  });
});

describe('behind a proxy that ends TLS', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ PUBLIC_ORIGIN: 'https://thaw.example.org', API_DOCS: 'off' });
  });
  afterAll(() => api.close());

  it('sends Secure cookies bound to the host, and HSTS', async () => {
    const response = await api
      .browser()
      .post('/api/register')
      .send({ email: 'tls@example.org', password: 'secret' });
    expect(response.status).toBe(201);
    const cookies = response.get('Set-Cookie')!;
    expect(cookies.map((cookie) => cookie.split('=')[0]).sort()).toEqual([
      '__Host-thaw.device',
      '__Host-thaw.sid',
    ]);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; Path=\/;/);
      expect(cookie).toMatch(/; Secure/);
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).not.toMatch(/Domain/);
    }
    expect(response.headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
    expect(response.headers['content-security-policy']).toContain(
      "connect-src 'self' ws://thaw.example.org wss://thaw.example.org;",
    );
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    await api.browser().get(`/api/user/${response.body.user.id}`).set('Cookie', cookie).expect(200);
  });

  it('allows only the public origin, whatever the Host header', async () => {
    const post = (headers: Record<string, string>) => api.browser().post('/api/anonymous').set(headers);
    await post({ Origin: 'https://thaw.example.org' }).expect(201);
    await post({ Origin: 'https://evil.example.org', Host: 'evil.example.org' }).expect(403);
  });

  it('serves no API docs when they are switched off', async () => {
    await api.browser().get('/api/docs').expect(404);
    await api.browser().get('/api/docs/openapi.json').expect(404);
  });
});

describe('the address of a client', () => {
  const addressed = async (trustProxy: string, forwarded: string, subject: string) => {
    const api = await startTestApi({ TRUST_PROXY: trustProxy });
    try {
      const browser = api.browser();
      const { body } = await browser.post('/api/anonymous').set('X-Forwarded-For', '198.51.100.99');
      // Emptied, so that the response to a call shows whose bucket it is charged to.
      await api.app.get(RateLimiterService).take('convert_anonymous', subject, 60);
      const response = await browser
        .post('/api/convert-anonymous')
        .set('X-Forwarded-For', forwarded)
        .send({ userId: body.user.id, email: 'not an address', password: '' });
      return response.status;
    } finally {
      await api.close();
    }
  };

  it('is that of the connection, whatever the headers claim, when no proxy is trusted', async () => {
    expect(await addressed('0', '203.0.113.200', '127.0.0.1')).toBe(429);
  });

  it('is the one reported by the trusted proxy, not one claimed before it', async () => {
    expect(await addressed('1', '203.0.113.201, 203.0.113.202', '203.0.113.202')).toBe(429);
    expect(await addressed('1', '203.0.113.203, 203.0.113.204', '203.0.113.203')).toBe(400);
  });
});
