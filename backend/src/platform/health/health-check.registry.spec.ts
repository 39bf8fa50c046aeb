import { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';
import type { AppLoggerService } from '../observability/app-logger.service';
import { HealthCheckRegistry } from './health-check.registry';

/** Creates the service that reports a shutdown of the process to the registry. It logs nothing. */
const createShutdown = () => new GracefulShutdownService({ write: jest.fn() } as unknown as AppLoggerService);

describe('HealthCheckRegistry', () => {
  afterEach(() => jest.useRealTimers());

  it('is ready when all checks pass, and names those that fail', async () => {
    const health = new HealthCheckRegistry(createShutdown());
    health.register('good', async () => true);
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { good: 'ok' } });
    health.register('bad', async () => false);
    health.register('broken', () => Promise.reject(new Error('away')));
    expect(await health.checkReadiness()).toEqual({
      isReady: false,
      checks: { good: 'ok', bad: 'failed', broken: 'failed' },
    });
  });

  it('refuses a second check of the same name', () => {
    const health = new HealthCheckRegistry(createShutdown());
    health.register('good', async () => true);
    expect(() => health.register('good', async () => true)).toThrow('is registered twice');
  });

  it('counts a check that takes longer than a second as failed', async () => {
    jest.useFakeTimers();
    const health = new HealthCheckRegistry(createShutdown());
    health.register('hung', () => new Promise(() => undefined));
    const readiness = health.checkReadiness();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await readiness).toEqual({ isReady: false, checks: { hung: 'failed' } });
  });

  it('is not ready before a check has passed once, even if the check may fail for a time', async () => {
    const health = new HealthCheckRegistry(createShutdown());
    let isPassing = false;
    health.register('store', async () => isPassing, { mayFailForMs: 30_000 });
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { store: 'failed' } });
    isPassing = true;
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'ok' } });
  });

  it('stays ready while a check that has passed fails for less than `mayFailForMs`', async () => {
    jest.useFakeTimers();
    const health = new HealthCheckRegistry(createShutdown());
    let isPassing = true;
    health.register('store', async () => isPassing, { mayFailForMs: 30_000 });
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'ok' } });
    isPassing = false;
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'failing' } });
    await jest.advanceTimersByTimeAsync(29_999);
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'failing' } });
    await jest.advanceTimersByTimeAsync(1);
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { store: 'failed' } });
    isPassing = true;
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'ok' } });
  });

  it('is not ready while stopping', async () => {
    const shutdown = createShutdown();
    const health = new HealthCheckRegistry(shutdown);
    const closePools = async (): Promise<void> => undefined;
    await shutdown.stop(closePools);
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { stopping: 'failed' } });
  });
});
