// Uses real PostgreSQL and Redis and a whole api replica over HTTP. The tests can cut the link to each store, so that
// connections are refused, or freeze it, so that connections stay open and no data passes.
import { type CuttableLink, startCuttableLink } from '../../testing/cuttable-link.proxy';
import { startTestApi, type TestApi } from '../../testing/test-api.harness';
import { until } from '../../testing/until.functions';
import { buckets } from '../rate-limit/bucket.limits';
import { InternalServerService } from './internal-server.service';

jest.setTimeout(60_000);

describe('a replica without its stores', () => {
  let api: TestApi;
  let postgres: CuttableLink;
  let redis: CuttableLink;
  let internalUrl: string;

  beforeAll(async () => {
    redis = await startCuttableLink(process.env.REDIS_URL!);
    api = await startTestApi(async ({ url }) => {
      postgres = await startCuttableLink(url);
      return { DATABASE_URL: postgres.url, REDIS_URL: redis.url, INTERNAL_HOST: '127.0.0.1' };
    });
    internalUrl = `http://127.0.0.1:${await api.app.get(InternalServerService).start()}`;
  });
  afterEach(async () => {
    await postgres.restore();
    await redis.restore();
    await until(isReady);
  });
  afterAll(async () => {
    await api.close();
    await postgres.close();
    await redis.close();
  });

  const readHealth = async (path: string) => {
    const response = await fetch(`${internalUrl}${path}`);
    return { status: response.status, body: (await response.json()) as { checks?: Record<string, string> } };
  };
  const isReady = async () => (await readHealth('/health/ready')).status === 200;
  /** @param request is sent only when it is awaited here */
  const measureDuration = async <Result>(request: PromiseLike<Result>) => {
    const startedAt = performance.now();
    const result = await request;
    return { result, durationMs: performance.now() - startedAt };
  };
  const createUser = async () => {
    const browser = api.openBrowser();
    const { body } = await browser.post('/api/anonymous').expect(201);
    return { browser, id: body.user.id as number };
  };

  it('opens its internal port only on the address of INTERNAL_HOST', async () => {
    const otherAddress = internalUrl.replace('127.0.0.1', '127.0.0.2');
    await expect(fetch(`${otherAddress}/health/live`)).rejects.toThrow();
    expect((await fetch(`${internalUrl}/health/live`)).status).toBe(200);
  });

  it('responds with `unavailable` to requests that need PostgreSQL while PostgreSQL is down', async () => {
    const { browser, id } = await createUser();
    await postgres.cut();
    for (const request of [
      browser.get(`/api/user/${id}`),
      api.openBrowser().post('/api/anonymous'),
      api.openBrowser().post('/api/login').send({ email: 'a@example.org', password: 'secret' }),
    ]) {
      const { status, body } = await request;
      expect({ status, body }).toEqual({
        status: 503,
        body: { statusCode: 503, code: 'unavailable', message: expect.any(String) },
      });
    }
  });

  it('is live but not ready while PostgreSQL is down', async () => {
    await postgres.cut();
    const readiness = await readHealth('/health/ready');
    expect(readiness.status).toBe(503);
    expect(readiness.body.checks).toMatchObject({ database: 'failed', redis: 'ok' });
    expect((await readHealth('/health/live')).status).toBe(200);
  });

  it('is ready and serves requests again when PostgreSQL is back', async () => {
    const { browser, id } = await createUser();
    await postgres.cut();
    await browser.get(`/api/user/${id}`).expect(503);
    expect(await isReady()).toBe(false);
    await postgres.restore();
    await until(isReady);
    await browser.get(`/api/user/${id}`).expect(200);
  });

  it('responds with 503 in bounded time when PostgreSQL hangs', async () => {
    const { browser, id } = await createUser();
    postgres.freeze();
    const { result, durationMs } = await measureDuration(browser.get(`/api/user/${id}`));
    expect(result.status).toBe(503);
    // Room for three time-outs in sequence: a query times out after 4 s, and the opening of a connection after 3 s
    // (data-source.config.ts).
    expect(durationMs).toBeLessThan(12_000);
    expect((await readHealth('/health/ready')).body.checks).toMatchObject({ database: 'failed' });
  });

  it('serves requests within 5 s while Redis is down, if they use only PostgreSQL', async () => {
    const { browser, id } = await createUser();
    await redis.cut();
    // Each request takes about a second on an idle machine. Retries or time-outs in sequence would exceed the limit.
    const reading = await measureDuration(browser.get(`/api/user/${id}`));
    expect(reading.result.status).toBe(200);
    expect(reading.durationMs).toBeLessThan(5_000);
    const creation = await measureDuration(api.openBrowser().post('/api/anonymous'));
    expect(creation.result.status).toBe(201);
    expect(creation.durationMs).toBeLessThan(5_000);
  });

  it('logs a user out while Redis is down', async () => {
    const { browser } = await createUser();
    await redis.cut();
    await browser.post('/api/logout').expect(204);
  });

  it('is live but not ready while Redis is down', async () => {
    await redis.cut();
    const readiness = await readHealth('/health/ready');
    expect(readiness.status).toBe(503);
    expect(readiness.body.checks).toMatchObject({ database: 'ok', redis: 'failed' });
    expect((await readHealth('/health/live')).status).toBe(200);
  });

  it('serves the first requests in bounded time when Redis hangs, and later ones without delay', async () => {
    const { browser, id } = await createUser();
    redis.freeze();
    const first = await measureDuration(browser.get(`/api/user/${id}`));
    expect(first.result.status).toBe(200);
    expect(first.durationMs).toBeLessThan(5_000);
    // After the first failure, requests skip Redis instead of waiting for the rate limiter's time-out of 500 ms.
    const measureNext = () => measureDuration(browser.get(`/api/user/${id}`));
    const later = await until(measureNext, ({ durationMs }) => durationMs < 400);
    expect(later.result.status).toBe(200);
  });

  it('still applies rate limits without Redis', async () => {
    const maxFailuresPerIpAddress = buckets.login_failures_of_address.amount;
    await redis.cut();
    const browser = api.openBrowser();
    const statuses: number[] = [];
    for (let count = 0; count < maxFailuresPerIpAddress + 1; count += 1) {
      statuses.push(
        (await browser.post('/api/login').send({ email: `a${count}@example.org`, password: 'wrong!' }))
          .status,
      );
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(maxFailuresPerIpAddress);
    expect(statuses.at(-1)).toBe(429);
  });
});
