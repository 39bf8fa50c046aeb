import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DomainError } from '../errors/domain.errors';
import { MetricsRegistry } from '../observability/metrics.registry';
import { MemoryValveService, computeUsedShare } from './memory-valve.service';

// The valve refuses new data while Redis is almost full.

/** Builds the `memory` section of INFO, as Redis replies it. By default, `maxmemory` is 100 bytes. */
const buildMemoryInfo = (usedBytes: number, { maxBytes = 100, notCountedBytes = 0 } = {}): string =>
  [
    '# Memory',
    `used_memory:${usedBytes}`,
    'used_memory_peak:999', // must not be read as `used_memory`
    `maxmemory:${maxBytes}`,
    `mem_not_counted_for_evict:${notCountedBytes}`,
    '',
  ].join('\r\n');

/** Creates a valve that gets these replies to INFO, one after the other. */
const createValve = (...replies: (string | Error)[]): MemoryValveService => {
  const redis = {
    info: async (): Promise<string> => {
      const reply = replies.shift() ?? '';
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
  return new MemoryValveService(redis as unknown as Redis, new MetricsRegistry());
};

/** Updates the valve `count` times. @returns whether it was open after each update */
const updateRepeatedly = async (valve: MemoryValveService, count: number): Promise<boolean[]> => {
  const openStates: boolean[] = [];
  for (let index = 0; index < count; index += 1) {
    await valve.update();
    openStates.push(valve.isOpen);
  }
  return openStates;
};

beforeAll(() => {
  Logger.overrideLogger(false);
});

describe('MemoryValveService', () => {
  it('closes at 70 % of maxmemory and opens at 60 %', async () => {
    const expectedStates: [percent: number, isOpen: boolean][] = [
      [0, true],
      [69, true],
      [70, false],
      [65, false],
      [61, false],
      [60, true],
      [65, true],
      [69, true],
      [71, false],
    ];
    const valve = createValve(...expectedStates.map(([percent]) => buildMemoryInfo(percent)));
    expect(await updateRepeatedly(valve, expectedStates.length)).toEqual(
      expectedStates.map(([, isOpen]) => isOpen),
    );
  });

  it('reports above 60 % that the valve of another process may still be closed', async () => {
    const valve = createValve(buildMemoryInfo(60), buildMemoryInfo(65));
    await valve.update();
    expect(valve.mayBeClosedElsewhere).toBe(false);
    await valve.update();
    expect(valve.isOpen).toBe(true);
    expect(valve.mayBeClosedElsewhere).toBe(true);
  });

  it('stays open when Redis has no maxmemory', async () => {
    const valve = createValve(buildMemoryInfo(1e12, { maxBytes: 0 })); // 0: no limit
    expect(await updateRepeatedly(valve, 1)).toEqual([true]);
  });

  it('keeps its state while Redis does not respond', async () => {
    const valve = createValve(
      buildMemoryInfo(90),
      new Error('Command timed out'),
      buildMemoryInfo(10),
      new Error('closed'),
    );
    expect(await updateRepeatedly(valve, 4)).toEqual([false, false, true, true]);
  });

  it('refuses operations with `unavailable` only while it is closed', async () => {
    const valve = createValve(buildMemoryInfo(10), buildMemoryInfo(90));
    await valve.update();
    expect(() => valve.requireOpen()).not.toThrow();
    await valve.update();
    expect(() => valve.requireOpen()).toThrow(new DomainError('unavailable'));
  });

  it('does not count memory that Redis does not count against `maxmemory`', () => {
    expect(computeUsedShare(buildMemoryInfo(80, { notCountedBytes: 30 }))).toBe(0.5);
  });
});
