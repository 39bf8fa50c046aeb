import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import type { JobWorkerService } from '../../../platform/queue/job-worker.service';
import { HeldChatRegistry } from './held-chat.registry';
import type { OutboxProcessor } from './outbox.processor';
import { OutboxWatchdogService } from './outbox-watchdog.service';

/** How often the watchdog checks. */
const CHECK_EVERY_MS = 5_000;
/** A worker is stuck after this time without progress. */
const STUCK_AFTER_MS = 20_000;

describe('OutboxWatchdogService', () => {
  let exit: jest.SpyInstance;
  let watchdog: OutboxWatchdogService;
  let unreachableStore: 'PostgreSQL' | 'Redis' | undefined;
  let hasOnlyHeldChats: boolean;
  /** When the oldest event was added to its outbox. */
  let oldestEventAt: number;
  const processor = { progressedAt: 0 };
  const jobWorker = { isReady: true };
  /** Lets time pass until the watchdog has made `count` more checks. */
  const passChecks = (count: number) => jest.advanceTimersByTimeAsync(count * CHECK_EVERY_MS);

  beforeAll(() => {
    Logger.overrideLogger(false);
  });
  beforeEach(() => {
    jest.useFakeTimers();
    unreachableStore = undefined;
    hasOnlyHeldChats = false;
    oldestEventAt = performance.now();
    processor.progressedAt = performance.now();
    exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const outbox = {
      measureBacklog: async () => {
        if (unreachableStore === 'Redis') throw new Error('Connection is closed.');
        // The age does not include entries of held chats, whose next event cannot be written.
        const ageMs = hasOnlyHeldChats ? 0 : performance.now() - oldestEventAt;
        return { length: 1, ageMs, fillRatio: 0, deadLetters: 0 };
      },
    };
    const dataSource = {
      query: async () => {
        if (unreachableStore === 'PostgreSQL') throw new Error('Connection terminated');
      },
    };
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
    // The 20 s begin with the first check, so they are over at the fifth.
    await passChecks(4);
    expect(exit).not.toHaveBeenCalled();
    await passChecks(1);
    expect(exit).toHaveBeenCalledWith(1);
  });

  it.each(['PostgreSQL', 'Redis'] as const)(
    'does not exit within 20 s after %s is reachable again',
    async (store) => {
      unreachableStore = store;
      await jest.advanceTimersByTimeAsync(60_000);
      unreachableStore = undefined;
      await jest.advanceTimersByTimeAsync(STUCK_AFTER_MS);
      expect(exit).not.toHaveBeenCalled();
    },
  );

  it('does not exit a worker that makes progress, however old the oldest event is', async () => {
    setInterval(() => (processor.progressedAt = performance.now()), CHECK_EVERY_MS);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(exit).not.toHaveBeenCalled();
  });

  it('does not exit a worker whose outboxes contain only entries of held chats', async () => {
    hasOnlyHeldChats = true;
    await jest.advanceTimersByTimeAsync(120_000);
    expect(exit).not.toHaveBeenCalled();
  });

  it('gives a worker another 20 s when its process continues after a suspension', async () => {
    await passChecks(3);
    // The suspension: the clock continues for a minute, but no timer fires.
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    // The 20 s begin again with the first check after the suspension, so they are over at the fifth.
    await passChecks(4);
    expect(exit).not.toHaveBeenCalled();
    await passChecks(1);
    expect(exit).toHaveBeenCalledWith(1);
  });
});
