// Uses real PostgreSQL and Redis and a whole api replica over HTTP.
import { startTestApi, type TestApi } from '../../testing/test-api.harness';

jest.setTimeout(30_000);

describe('the OpenAPI document', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  it('is version 3.1, lists the routes of accounts, and describes the body and the errors of the login', async () => {
    const { body } = await api.openBrowser().get('/api/docs/openapi.json').expect(200);
    expect(body.openapi).toMatch(/^3\.1\./);
    const routes = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes).toEqual(
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

  it('describes the errors that all routes share and the range of every number', async () => {
    interface Operation {
      parameters?: { in: string; name: string; schema: { type: string; minimum?: number } }[];
      requestBody?: object;
      responses: Record<string, { description: string; headers?: object }>;
    }
    const { body } = await api.openBrowser().get('/api/docs/openapi.json').expect(200);
    const paths = body.paths as Record<string, Record<string, Operation>>;
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { parameters = [], requestBody, responses }] of Object.entries(operations)) {
        const expectedStatuses = ['429', '503'];
        // The Origin is not allowed, the body is too large, or its type is not supported.
        if (method !== 'get') expectedStatuses.push('403', '413', '415');
        if (requestBody) expectedStatuses.push('400');
        if (parameters.some((parameter) => parameter.in === 'path')) expectedStatuses.push('404');
        // Path and method are compared too, so that a failure names the route.
        expect([path, method, Object.keys(responses)]).toEqual([
          path,
          method,
          expect.arrayContaining(expectedStatuses),
        ]);
        expect(responses[429]!.headers).toHaveProperty('Retry-After');
        for (const { schema } of parameters) {
          if (schema.type !== 'string') {
            expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
          }
        }
      }
    }
    // The description of a response names its error codes; one route is an example.
    expect(paths['/api/friends/request']!.post!.responses[403]!.description).toContain('bad_origin');
  });

  it('is also served as a page that works under the content security policy', async () => {
    const response = await api.openBrowser().get('/api/docs').expect(200);
    expect(response.headers['content-type']).toMatch(/html/);
    // The policy only allows scripts that are files of the same origin.
    expect(response.text).not.toMatch(/<script(?![^>]*src=)[^>]*>\s*\S/);
    const scripts = [...response.text.matchAll(/<script[^>]*src="([^"]+)"/g)].map(
      ([, address]) => new URL(address!, 'http://localhost/api/docs').pathname,
    );
    expect(scripts.length).toBeGreaterThan(0);
    for (const path of scripts) {
      const script = await api.openBrowser().get(path).expect(200);
      expect(script.headers['content-type']).toMatch(/javascript/);
    }
  });
});
