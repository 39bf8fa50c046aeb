import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DomainError } from '../errors/domain.errors';
import { MetricsRegistry } from '../observability/metrics.registry';
import { MemoryValveService, computeUsedShare } from './memory-valve.service';

const createMemoryInfo = (usedBytes: number, maxBytes: number, notCounted = 0): string =>
  `# Memory\r\nused_memory:${usedBytes}\r\nused_memory_peak:999\r\nmaxmemory:${maxBytes}\r\nmem_not_counted_for_evict:${notCounted}\r\n`;

const createValve = (...replies: (string | Error)[]): MemoryValveService => {
  const readInfo = (): Promise<string> => {
    const reply = replies.shift() ?? '';
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
  const redis = { info: readInfo };
  return new MemoryValveService(redis as unknown as Redis, new MetricsRegistry());
};

const readAll = async (valve: MemoryValveService, count: number): Promise<boolean[]> => {
  const states: boolean[] = [];
  for (let index = 0; index < count; index += 1) {
    await valve.update();
    states.push(valve.isOpen);
  }
  return states;
};

beforeAll(() => {
  Logger.overrideLogger(false);
});

describe('MemoryValveService', () => {
  it('closes at 70 % of maxmemory and opens at 60 %', async () => {
    const shares = [0, 69, 70, 65, 61, 60, 65, 69, 71];
    const valve = createValve(...shares.map((share) => createMemoryInfo(share, 100)));
    expect(await readAll(valve, shares.length)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('reports between the thresholds that the valve of another process may be closed', async () => {
    const valve = createValve(createMemoryInfo(60, 100), createMemoryInfo(65, 100));
    await valve.update();
    expect(valve.mayBeClosedElsewhere).toBe(false);
    await valve.update();
    expect(valve.isOpen).toBe(true);
    expect(valve.mayBeClosedElsewhere).toBe(true);
  });

  it('stays open when Redis has no maxmemory', async () => {
    expect(await readAll(createValve(createMemoryInfo(1e12, 0)), 1)).toEqual([true]);
  });

  it('keeps its state while Redis does not respond', async () => {
    const valve = createValve(
      createMemoryInfo(90, 100),
      new Error('Command timed out'),
      createMemoryInfo(10, 100),
      new Error('closed'),
    );
    expect(await readAll(valve, 4)).toEqual([false, false, true, true]);
  });

  it('refuses with unavailable only while it is closed', async () => {
    const valve = createValve(createMemoryInfo(10, 100), createMemoryInfo(90, 100));
    await valve.update();
    expect(() => valve.requireOpen()).not.toThrow();
    await valve.update();
    expect(() => valve.requireOpen()).toThrow(new DomainError('unavailable'));
  });

  it('counts memory as Redis does before it refuses a write', () => {
    expect(computeUsedShare(createMemoryInfo(80, 100, 30))).toBe(0.5);
  });
});
