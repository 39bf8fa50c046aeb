import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DomainError } from '../errors/domain.errors';
import { MetricsRegistry } from '../observability/metrics.registry';
import { MemoryValveService, computeUsedShare } from './memory-valve.service';

/** Builds the `memory` section of INFO. `used_memory_peak`, which begins like `used_memory`, must not be read. */
const buildMemoryInfo = (usedBytes: number, maxBytes: number, notCountedBytes = 0): string =>
  `# Memory\r\nused_memory:${usedBytes}\r\nused_memory_peak:999\r\nmaxmemory:${maxBytes}\r\nmem_not_counted_for_evict:${notCountedBytes}\r\n`;

/** Creates a valve whose readings of INFO get these replies, one after the other. */
const createValve = (...replies: (string | Error)[]): MemoryValveService => {
  const readInfo = (): Promise<string> => {
    const reply = replies.shift() ?? '';
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
  const redis = { info: readInfo };
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
    const valve = createValve(...expectedStates.map(([percent]) => buildMemoryInfo(percent, 100)));
    expect(await updateRepeatedly(valve, expectedStates.length)).toEqual(
      expectedStates.map(([, isOpen]) => isOpen),
    );
  });

  it('reports above 60 % that the valve of another process may still be closed', async () => {
    const valve = createValve(buildMemoryInfo(60, 100), buildMemoryInfo(65, 100));
    await valve.update();
    expect(valve.mayBeClosedElsewhere).toBe(false);
    await valve.update();
    expect(valve.isOpen).toBe(true);
    expect(valve.mayBeClosedElsewhere).toBe(true);
  });

  it('stays open when Redis has no maxmemory', async () => {
    const noMaxmemory = 0;
    expect(await updateRepeatedly(createValve(buildMemoryInfo(1e12, noMaxmemory)), 1)).toEqual([true]);
  });

  it('keeps its state while Redis does not respond', async () => {
    const valve = createValve(
      buildMemoryInfo(90, 100),
      new Error('Command timed out'),
      buildMemoryInfo(10, 100),
      new Error('closed'),
    );
    expect(await updateRepeatedly(valve, 4)).toEqual([false, false, true, true]);
  });

  it('refuses operations with `unavailable` only while it is closed', async () => {
    const valve = createValve(buildMemoryInfo(10, 100), buildMemoryInfo(90, 100));
    await valve.update();
    expect(() => valve.requireOpen()).not.toThrow();
    await valve.update();
    expect(() => valve.requireOpen()).toThrow(new DomainError('unavailable'));
  });

  it('does not count memory that Redis does not count against `maxmemory`', () => {
    expect(computeUsedShare(buildMemoryInfo(80, 100, 30))).toBe(0.5);
  });
});
