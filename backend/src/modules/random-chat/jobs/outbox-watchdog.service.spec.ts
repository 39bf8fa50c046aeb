import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import type { JobWorkerService } from '../../../platform/queue/job-worker.service';
import { HeldChatRegistry } from './held-chat.registry';
import type { OutboxProcessor } from './outbox.processor';
import { OutboxWatchdogService } from './outbox-watchdog.service';

/** How often the watchdog checks. */
const CHECK_MS = 5_000;

describe('OutboxWatchdogService', () => {
  let exit: jest.SpyInstance;
  let watchdog: OutboxWatchdogService;
  let isPostgresDown: boolean;
  let isRedisDown: boolean;
  let ageMs: number;
  const processor = { progressedAt: 0 };
  const jobWorker = { isReady: true };

  /** Advances the clock and the age of the oldest event. `onCheck` runs before each check of the watchdog. */
  const advance = async (ms: number, onCheck: () => void = () => undefined): Promise<void> => {
    for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += CHECK_MS) {
      ageMs += CHECK_MS;
      onCheck();
      await jest.advanceTimersByTimeAsync(CHECK_MS);
    }
  };

  beforeAll(() => {
    Logger.overrideLogger(false);
  });
  beforeEach(() => {
    jest.useFakeTimers();
    [isPostgresDown, isRedisDown, ageMs] = [false, false, 0];
    exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const outbox = {
      measureBacklog: async () => {
        if (isRedisDown) throw new Error('Connection is closed.');
        return { length: 1, ageMs, fillRatio: 0, deadLetters: 0 };
      },
    };
    const dataSource = {
      query: async () => {
        if (isPostgresDown) throw new Error('Connection terminated');
      },
    };
    processor.progressedAt = performance.now();
    watchdog = new OutboxWatchdogService(
      outbox as unknown as OutboxRepository,
      processor as OutboxProcessor,
      new HeldChatRegistry(),
      jobWorker as JobWorkerService,
      dataSource as unknown as DataSource,
      new MetricsRegistry(),
    );
    watchdog.onModuleInit();
  });
  afterEach(() => {
    watchdog.onApplicationShutdown();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('exits a worker that makes no progress for 20 s while both stores are reachable and an event waits', async () => {
    await advance(20_000);
    expect(exit).not.toHaveBeenCalled(); // the 20 s begin with the first check
    await advance(10_000);
    expect(exit).toHaveBeenCalledWith(1);
  });

  it.each(['PostgreSQL', 'Redis'])('does not exit within 20 s after %s is reachable again', async (store) => {
    [isPostgresDown, isRedisDown] = [store === 'PostgreSQL', store === 'Redis'];
    await advance(60_000);
    [isPostgresDown, isRedisDown] = [false, false];
    await advance(20_000);
    expect(exit).not.toHaveBeenCalled();
  });

  it('does not exit a worker that makes progress, however old the oldest event is', async () => {
    await advance(120_000, () => (processor.progressedAt = performance.now()));
    expect(exit).not.toHaveBeenCalled();
  });

  it('does not exit a worker whose outboxes contain only entries of held chats', async () => {
    // The age does not include entries of held chats.
    await advance(120_000, () => (ageMs = 0));
    expect(exit).not.toHaveBeenCalled();
  });

  it('gives a worker another 20 s when its process continues after a suspension', async () => {
    await advance(15_000);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    ageMs += 60_000;
    await advance(20_000);
    expect(exit).not.toHaveBeenCalled();
    await advance(CHECK_MS);
    expect(exit).toHaveBeenCalledWith(1);
  });
});
