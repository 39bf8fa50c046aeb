// Uses real PostgreSQL and Redis and a whole api replica over HTTP.
import { startTestApi, type TestApi } from '../../testing/test-api.harness';

jest.setTimeout(30_000);

interface Operation {
  parameters?: { in: string; name: string; schema: { type: string } }[];
  requestBody?: object;
  responses: Record<string, { description: string; headers?: object }>;
}

interface OpenApiDocument {
  openapi: string;
  /** The operations of each path, by HTTP method. */
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

describe('the OpenAPI document', () => {
  let api: TestApi;
  let openApi: OpenApiDocument;
  let operations: (Operation & { method: string; route: string })[];

  beforeAll(async () => {
    api = await startTestApi();
    const { body } = await api.openBrowser().get('/api/docs/openapi.json').expect(200);
    openApi = body;
    operations = Object.entries(openApi.paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({
        ...operation,
        method,
        route: `${method} ${path}`,
      })),
    );
  });
  afterAll(() => api.close());

  it('has version 3.1', () => {
    expect(openApi.openapi).toMatch(/^3\.1\./);
  });

  it('lists the routes of accounts', () => {
    expect(operations.map(({ route }) => route)).toEqual(
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
  });

  it('describes the body and the responses of the login', () => {
    expect(openApi.components.schemas.CredentialsDto).toEqual({
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email', maxLength: 254 },
        password: { type: 'string', format: 'password', minLength: 6, maxLength: 128 },
      },
      required: ['email', 'password'],
    });
    expect(Object.keys(openApi.paths['/api/login']!.post!.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '429', '503']),
    );
  });

  it('lists the errors that routes share', () => {
    for (const { method, route, parameters = [], requestBody, responses } of operations) {
      const expectedStatuses = ['429', '503'];
      // The Origin is not allowed, the body is too large, or its type is not supported.
      if (method !== 'get') expectedStatuses.push('403', '413', '415');
      if (requestBody) expectedStatuses.push('400');
      if (parameters.some((parameter) => parameter.in === 'path')) expectedStatuses.push('404');
      // The route is compared too, so that a failure names it.
      expect({ route, statuses: Object.keys(responses) }).toEqual({
        route,
        statuses: expect.arrayContaining(expectedStatuses),
      });
    }
  });

  it('describes the header Retry-After of the status 429 of every route', () => {
    for (const { responses } of operations) {
      expect(responses[429]!.headers).toHaveProperty('Retry-After');
    }
  });

  it('names the error codes of a status in its description', () => {
    expect(openApi.paths['/api/friends/request']!.post!.responses[403]!.description).toContain('bad_origin');
  });

  it('describes the range of every parameter that is a number', () => {
    const schemas = operations.flatMap(({ parameters = [] }) => parameters.map(({ schema }) => schema));
    for (const schema of schemas.filter(({ type }) => type !== 'string')) {
      expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
    }
  });

  it('is also served as a page that works under the content security policy', async () => {
    const response = await api.openBrowser().get('/api/docs').expect(200);
    expect(response.headers['content-type']).toMatch(/html/);
    // The policy only allows scripts that are files of the same origin.
    const inlineScript = /<script(?![^>]*src=)[^>]*>\s*\S/;
    expect(response.text).not.toMatch(inlineScript);
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
