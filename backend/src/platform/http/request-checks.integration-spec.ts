// Uses real PostgreSQL and Redis and a whole api replica over HTTP.
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createProblem } from '../../testing/problem-body.functions';
import { startTestApi, type TestApi } from '../../testing/test-api.harness';

const JSON_BODY_MAX_BYTES = 32 * 1024;

jest.setTimeout(30_000);

describe('the checks of every request', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi({ ALLOWED_ORIGINS: 'https://partner.example.org' });
  });
  afterAll(() => api.close());

  const register = () => api.openBrowser().post('/api/register');
  /** Sends a body of the type JSON as it is, even if it is not valid JSON. */
  const registerWithRawBody = (body: string | Buffer, headers: Record<string, string> = {}) =>
    register()
      .set({ 'Content-Type': 'application/json', ...headers })
      .serialize((rawBody: unknown) => rawBody as string)
      .send(body as string);
  const buildValidBody = () => JSON.stringify({ email: `${Math.random()}@example.org`, password: 'secret' });

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
      const response = await register().set('Content-Type', type).send(buildValidBody());
      expect(response.body).toEqual(createProblem(415, 'unsupported_type'));
    });

    it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])(
      'of type %j is accepted',
      async (type) => {
        await register().set('Content-Type', type).send(buildValidBody()).expect(201);
      },
    );

    it('that is compressed is refused with 415', async () => {
      const response = await registerWithRawBody(gzipSync(buildValidBody()), { 'Content-Encoding': 'gzip' });
      expect(response.body).toEqual(createProblem(415, 'unsupported_type'));
    });

    describe('over 32 KiB', () => {
      const body = JSON.stringify({
        email: 'a@example.org',
        password: 'secret',
        more: 'x'.repeat(JSON_BODY_MAX_BYTES),
      });

      it('is refused with 413 when it has a Content-Length', async () => {
        const response = await register().set('Content-Type', 'application/json').send(body);
        expect(response.body).toEqual(createProblem(413, 'too_large'));
      });

      it('is refused with 413 when it has no Content-Length', async () => {
        const { port } = api.app.getHttpServer().address() as AddressInfo;
        const status = await new Promise((resolve, reject) => {
          const outgoing = httpRequest(
            {
              port,
              host: '127.0.0.1',
              path: '/api/register',
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
            },
            (response) => resolve(response.statusCode),
          );
          outgoing.on('error', reject);
          // node:http sends no Content-Length when the body is written before `end`.
          outgoing.write(body);
          outgoing.end();
        });
        expect(status).toBe(413);
      });
    });

    it.each([
      ['broken JSON', '{"email":'],
      ['only a space', ' '],
      ['a list', '[]'],
      ['a string', '"x"'],
      ['null', 'null'],
      ['a number', '1'],
      // At most 16 levels are allowed. The next three bodies have more, but are smaller than 32 KiB.
      ['nested 5,000 levels deep', '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)],
      ['14,000 nested lists', `{"a":${'['.repeat(14_000)}${']'.repeat(14_000)}}`],
      // The escaped quote in the key does not end the string, and the bracket in the string "]" does not end a level.
      ['nested lists around a quoted bracket', `{"\\"":${'['.repeat(100)}"]"${']'.repeat(100)}}`],
      [
        'JSON with the key __proto__',
        '{"email":"a@example.org","password":"secret","__proto__":{"isAdmin":true}}',
      ],
      [
        'JSON with a nested key constructor',
        '{"email":"a@example.org","password":"secret","a":{"constructor":1}}',
      ],
      [
        'JSON with an escaped key prototype',
        '{"email":"a@example.org","password":"secret","proto\\u0074ype":1}',
      ],
      ['not UTF-8', Buffer.concat([Buffer.from('{"'), Buffer.from([0xff]), Buffer.from('":1}')])],
    ])('is refused with 400 when it is %s', async (_content, body) => {
      const response = await registerWithRawBody(body);
      expect(response.body).toEqual(createProblem(400, 'validation_failed'));
      // The body with `__proto__` must not change the prototype of all objects.
      const newObject: { isAdmin?: boolean } = {};
      expect(newObject.isAdmin).toBeUndefined();
    });

    it('is never quoted in the response', async () => {
      const response = await register().send({ email: '<script>alert(1)</script>', password: 'hunter2' });
      expect(response.status).toBe(400);
      expect(response.text).not.toMatch(/script|hunter2/);
    });
  });

  // Without PUBLIC_ORIGIN, as here, the service has two origins: http and https with the host of the request.
  describe('the origin check', () => {
    const postWith = (headers: Record<string, string>) =>
      api.openBrowser().post('/api/anonymous').set(headers);

    it.each([
      ['a foreign origin', { Origin: 'https://evil.example.org' }],
      ['an opaque origin', { Origin: 'null' }],
      ['a malformed origin', { Origin: 'not an origin' }],
      ['another port', { Origin: 'http://localhost:1', Host: 'localhost:2' }],
      ['the scheme ftp', { Origin: 'ftp://thaw.example.org', Host: 'thaw.example.org' }],
      ['the scheme app', { Origin: 'app://thaw.example.org', Host: 'thaw.example.org' }],
      [
        'the scheme of an extension',
        { Origin: 'chrome-extension://thaw.example.org', Host: 'thaw.example.org' },
      ],
      [
        'a host that begins with that of the service',
        { Origin: 'http://thaw.example.org.evil.org', Host: 'thaw.example.org' },
      ],
      ['no origin, from another site', { 'Sec-Fetch-Site': 'cross-site' }],
      ['no origin, from another subdomain', { 'Sec-Fetch-Site': 'same-site' }],
      ['no origin, from the address bar', { 'Sec-Fetch-Site': 'none' }],
      [
        'the origin of the service, from another site',
        { Origin: 'http://thaw.example.org', Host: 'thaw.example.org', 'Sec-Fetch-Site': 'cross-site' },
      ],
    ] as [label: string, headers: Record<string, string>][])(
      'refuses a request with %s',
      async (_label, headers) => {
        const response = await postWith(headers);
        expect(response.body).toEqual(createProblem(403, 'bad_origin'));
        expect(response.get('Set-Cookie')).toBeUndefined();
      },
    );

    it.each([
      ['neither Origin nor Sec-Fetch-Site', {}],
      ['no origin, from the same origin', { 'Sec-Fetch-Site': 'same-origin' }],
      [
        'the origin of the service, from the same origin',
        { Origin: 'http://thaw.example.org', Host: 'thaw.example.org', 'Sec-Fetch-Site': 'same-origin' },
      ],
      ['the origin of the service', { Origin: 'https://thaw.example.org', Host: 'thaw.example.org' }],
      [
        'the origin of the service and an explicit default port',
        { Origin: 'https://thaw.example.org', Host: 'thaw.example.org:443' },
      ],
      [
        'a configured origin, from another site',
        { Origin: 'https://partner.example.org', 'Sec-Fetch-Site': 'cross-site' },
      ],
    ] as [label: string, headers: Record<string, string>][])(
      'allows a request with %s',
      async (_label, headers) => {
        await postWith(headers).expect(201);
      },
    );

    it.each(['put', 'patch', 'delete'] as const)(
      'refuses a foreign origin for the method %s',
      async (method) => {
        const request = api.openBrowser()[method]('/api/user/1');
        const response = await request.set('Origin', 'https://evil.example.org');
        expect(response.body).toEqual(createProblem(403, 'bad_origin'));
      },
    );

    it.each(['get', 'options'] as const)('sends no CORS headers for the method %s', async (method) => {
      const request = api.openBrowser()[method]('/api/user/1');
      const response = await request.set('Origin', 'https://partner.example.org');
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });
});
