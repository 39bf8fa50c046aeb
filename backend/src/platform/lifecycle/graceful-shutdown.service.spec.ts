import type { AppLoggerService } from '../observability/app-logger.service';
import { HealthCheckRegistry } from '../health/health-check.registry';
import { GracefulShutdownService } from './graceful-shutdown.service';

const silent = () => ({ write: jest.fn(), logFailure: jest.fn() });
const make = (logger = silent()) => new GracefulShutdownService(logger as unknown as AppLoggerService);

describe('GracefulShutdownService', () => {
  it('runs phase by phase, whatever the order of registration, and closes the pools last', async () => {
    const stop = make();
    const done: string[] = [];
    for (const phase of ['workers', 'sockets', 'leases', 'announce', 'listeners'] as const) {
      stop.register(phase, `${phase} slow`, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push(phase);
      });
      stop.register(phase, phase, () => void done.push(phase));
    }
    await stop.stop(async () => void done.push('pools'));
    expect(done).toEqual(
      ['announce', 'listeners', 'sockets', 'leases', 'workers']
        .flatMap((phase) => [phase, phase])
        .concat('pools'),
    );
  });

  it('logs a failing step and continues', async () => {
    const logger = silent();
    const stop = make(logger);
    const closePools = jest.fn();
    stop.register('sockets', 'bad', () => {
      throw new Error('a bug');
    });
    stop.register('leases', 'worse', () => Promise.reject(new Error('another')));
    await stop.stop(closePools);
    expect(closePools).toHaveBeenCalledTimes(1);
    expect(logger.logFailure).toHaveBeenCalledTimes(2);
  });

  it('resolves after the time limit when a step hangs', async () => {
    const logger = silent();
    const stop = make(logger);
    stop.register('workers', 'stuck', () => new Promise(() => undefined));
    await stop.stop(async () => undefined, 20);
    expect(logger.write).toHaveBeenCalledWith('warn', expect.any(String), expect.anything());
  });

  it('runs once, however often it is called', async () => {
    const stop = make();
    const closePools = jest.fn();
    expect(stop.isStopping).toBe(false);
    await Promise.all([stop.stop(closePools), stop.stop(closePools)]);
    expect(stop.isStopping).toBe(true);
    expect(closePools).toHaveBeenCalledTimes(1);
  });
});

describe('HealthCheckRegistry', () => {
  it('is ready when all checks pass, and names those that fail', async () => {
    const health = new HealthCheckRegistry(make());
    health.register('good', async () => true);
    expect(await health.checkReadiness()).toEqual({ isReady: true, checks: { good: 'ok' } });
    health.register('bad', async () => false);
    health.register('broken', () => Promise.reject(new Error('away')));
    expect(await health.checkReadiness()).toEqual({
      isReady: false,
      checks: { good: 'ok', bad: 'failed', broken: 'failed' },
    });
    expect(() => health.register('good', async () => true)).toThrow('twice');
  });

  it('counts a check that hangs as failed', async () => {
    jest.useFakeTimers();
    const health = new HealthCheckRegistry(make());
    health.register('hung', () => new Promise(() => undefined));
    const readiness = health.checkReadiness();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await readiness).toEqual({ isReady: false, checks: { hung: 'failed' } });
    jest.useRealTimers();
  });

  it('is not ready while stopping', async () => {
    const stop = make();
    const health = new HealthCheckRegistry(stop);
    await stop.stop(async () => undefined);
    expect(await health.checkReadiness()).toEqual({ isReady: false, checks: { stopping: 'failed' } });
  });
});
