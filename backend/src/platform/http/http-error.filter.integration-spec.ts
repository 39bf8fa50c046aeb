// Uses real PostgreSQL and Redis and a whole api replica over HTTP.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '../../testing/test-api.harness';
import { AppLoggerService } from '../observability/app-logger.service';

jest.setTimeout(30_000);

describe('HttpErrorFilter', () => {
  let api: TestApi;
  let folder: string;
  let logFailure: jest.SpyInstance;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'thaw-page-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<title>application</title>');
    writeFileSync(join(folder, 'assets', 'index-DiwrgTda.js'), 'export {}');
    api = await startTestApi({ PUBLIC_DIR: folder });
  });
  beforeEach(() => {
    logFailure = jest.spyOn(api.app.get(AppLoggerService), 'logFailure');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  // The folder has no HTML files for /chat and /auth, so these pages are served from index.html.
  it.each(['/', '/chat', '/auth', '/assets/index-DiwrgTda.js'])(
    'answers requests for %s with 416 for a range past the end and 412 for an unmet precondition, and logs no failure',
    async (path) => {
      for (const [name, value, status] of [
        ['Range', 'bytes=999999999-', 416],
        ['If-Match', '"x"', 412],
        ['If-Unmodified-Since', 'Thu, 01 Jan 1970 00:00:01 GMT', 412],
      ] as const) {
        const response = await api.openBrowser().get(path).set(name, value);
        expect(response.body).toEqual({
          statusCode: status,
          code: 'validation_failed',
          message: expect.any(String),
        });
        expect(response.status).toBe(status);
      }
      expect(logFailure).not.toHaveBeenCalled();
    },
  );
});
