import type { AppLoggerService } from '../observability/app-logger.service';
import { GracefulShutdownService } from './graceful-shutdown.service';

const createLogger = () => ({ write: jest.fn(), logFailure: jest.fn() });
const createShutdown = (logger = createLogger()) =>
  new GracefulShutdownService(logger as unknown as AppLoggerService);

describe('GracefulShutdownService', () => {
  it('runs the steps phase by phase, in any order of registration, and closes connection pools last', async () => {
    const shutdown = createShutdown();
    const finished: string[] = [];
    const recordFinished = (phase: string): void => {
      finished.push(phase);
    };
    for (const phase of ['workers', 'sockets', 'leases', 'announce', 'listeners'] as const) {
      shutdown.register(phase, `${phase} slow`, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        recordFinished(phase);
      });
      shutdown.register(phase, phase, () => recordFinished(phase));
    }
    await shutdown.stop(async () => recordFinished('pools'));
    expect(finished.join(' ')).toBe(
      'announce announce listeners listeners sockets sockets leases leases workers workers pools',
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

  it('ends at the time limit, with a warning in the log, when a step hangs', async () => {
    const logger = createLogger();
    const shutdown = createShutdown(logger);
    const timeoutMs = 20;
    shutdown.register('workers', 'stuck', () => new Promise(() => undefined));
    await shutdown.stop(async () => undefined, timeoutMs);
    expect(logger.write).toHaveBeenCalledWith('warn', expect.any(String), expect.anything());
  });

  it('closes the connection pools once, however often it is called', async () => {
    const shutdown = createShutdown();
    const closePools = jest.fn();
    expect(shutdown.isStopping).toBe(false);
    await Promise.all([shutdown.stop(closePools), shutdown.stop(closePools)]);
    expect(shutdown.isStopping).toBe(true);
    expect(closePools).toHaveBeenCalledTimes(1);
  });
});
