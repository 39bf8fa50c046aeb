import type { AppLoggerService } from '../observability/app-logger.service';
import { HealthCheckRegistry } from '../health/health-check.registry';
import { GracefulShutdownService } from './graceful-shutdown.service';

const createLogger = () => ({ write: jest.fn(), logFailure: jest.fn() });
const createShutdown = (logger = createLogger()) =>
  new GracefulShutdownService(logger as unknown as AppLoggerService);

describe('GracefulShutdownService', () => {
  it('runs the steps phase by phase, whatever the order of registration, and closes the pools last', async () => {
    const shutdown = createShutdown();
    const finished: string[] = [];
    for (const phase of ['workers', 'sockets', 'leases', 'announce', 'listeners'] as const) {
      shutdown.register(phase, `${phase} slow`, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        finished.push(phase);
      });
      shutdown.register(phase, phase, () => void finished.push(phase));
    }
    await shutdown.stop(async () => void finished.push('pools'));
    expect(finished).toEqual(
      ['announce', 'listeners', 'sockets', 'leases', 'workers']
        .flatMap((phase) => [phase, phase])
        .concat('pools'),
    );
  });

  it('logs failing steps and continues', async () => {
    const logger = createLogger();
    const shutdown = createShutdown(logger);
    const closePools = jest.fn();
    shutdown.register('sockets', 'throws', () => {
      throw new Error('a bug');
    });
    shutdown.register('leases', 'rejects', () => Promise.reject(new Error('another')));
    await shutdown.stop(closePools);
    expect(closePools).toHaveBeenCalledTimes(1);
    expect(logger.logFailure).toHaveBeenCalledTimes(2);
  });

  it('resolves and logs a warning after the time limit when a step hangs', async () => {
    const logger = createLogger();
    const shutdown = createShutdown(logger);
    const timeoutMs = 20;
    shutdown.register('workers', 'stuck', () => new Promise(() => undefined));
    await shutdown.stop(async () => undefined, timeoutMs);
    expect(logger.write).toHaveBeenCalledWith('warn', expect.any(String), expect.anything());
  });

  it('closes the pools once, however often it is called', async () => {
    const shutdown = createShutdown();
    const closePools = jest.fn();
    expect(shutdown.isStopping).toBe(false);
    await Promise.all([shutdown.stop(closePools), shutdown.stop(closePools)]);
    expect(shutdown.isStopping).toBe(true);
    expect(closePools).toHaveBeenCalledTimes(1);
  });
});

describe('HealthCheckRegistry', () => {
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
    expect(() => health.register('good', async () => true)).toThrow('twice');
  });

  it('counts a check that hangs as failed', async () => {
    jest.useFakeTimers();
    const health = new HealthCheckRegistry(createShutdown());
    health.register('hung', () => new Promise(() => undefined));
    const readiness = health.checkReadiness();
    await jest.advanceTimersByTimeAsync(1_000); // the time-out of a check
    expect(await readiness).toEqual({ isReady: false, checks: { hung: 'failed' } });
    jest.useRealTimers();
  });

  it('stays ready for `mayFailForMs` after a check that has passed begins to fail', async () => {
    jest.useFakeTimers();
    const health = new HealthCheckRegistry(createShutdown());
    let isPassing = false;
    health.register('store', async () => isPassing, { mayFailForMs: 30_000 });
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { store: 'failed' } });
    isPassing = true;
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'ok' } });
    isPassing = false;
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'failing' } });
    await jest.advanceTimersByTimeAsync(29_999);
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'failing' } });
    await jest.advanceTimersByTimeAsync(1);
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { store: 'failed' } });
    isPassing = true;
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { store: 'ok' } });
    jest.useRealTimers();
  });

  it('is not ready while stopping', async () => {
    const shutdown = createShutdown();
    const health = new HealthCheckRegistry(shutdown);
    await shutdown.stop(async () => undefined);
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { stopping: 'failed' } });
  });
});
