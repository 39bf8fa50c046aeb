import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, REDIS_MAX_BYTES } from '../cluster/cluster';
import type { redisKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';
import { waitUntilStoreAnswers } from './process-faults';

/** The simulated power failure loses the data of this period. */
const LOST_PERIOD_MS = 1_000;
const SAMPLE_EVERY_MS = 50;

/** Faults in which Redis runs out of memory or loses data. */
export const createRedisFault = (cluster: Cluster, kind: (typeof redisKinds)[number]): FaultEffect => {
  switch (kind) {
    case 'full':
      // The limit is below the memory that is used already, so that Redis refuses every write. 0 would mean no limit.
      return limitMemory(cluster, (usedBytes) => Math.max(1, Math.floor(usedBytes * 0.9)));
    case 'nearly-full':
      // 80 % is used: more than the 70 % at which the service refuses new chats and messages, and less than the 100 %
      // at which Redis refuses writes.
      return limitMemory(cluster, (usedBytes) => Math.ceil(usedBytes / 0.8));
    case 'flushed':
      return {
        async begin() {
          await cluster.redis.flushall();
        },
        end: async () => undefined,
      };
    case 'truncated':
      return { begin: () => truncateLastSecond(cluster), end: () => waitUntilStoreAnswers(cluster, 'redis') };
  }
};

const limitMemory = (cluster: Cluster, computeLimit: (usedBytes: number) => number): FaultEffect => ({
  async begin() {
    const memoryInfo = await cluster.redis.info('memory');
    const usedBytes = Number(/^used_memory:(\d+)/m.exec(memoryInfo)?.[1]);
    await cluster.redis.config('SET', 'maxmemory', String(computeLimit(usedBytes)));
  },
  async end() {
    await cluster.redis.config('SET', 'maxmemory', String(REDIS_MAX_BYTES));
  },
});

/**
 * Simulates a power failure of the machine of Redis, after which the last second of the append-only file is missing.
 * Kills Redis, and truncates the file to its size of one second earlier. `SupervisedStore` then restarts Redis.
 */
const truncateLastSecond = async (cluster: Cluster): Promise<void> => {
  const samples: { file: string; bytes: number; takenAt: number }[] = [];
  const takeSample = (): void => {
    const file = findCurrentAppendOnlyFile(cluster.redisFolder);
    samples.push({ file, bytes: statSync(file).size, takenAt: Date.now() });
  };
  const samplingEndsAt = Date.now() + LOST_PERIOD_MS;
  while (Date.now() < samplingEndsAt) {
    takeSample();
    await sleep(SAMPLE_EVERY_MS);
  }
  await cluster.redisStore.withoutRestarts(async () => {
    cluster.redisStore.sendSignal('SIGKILL');
    const killedAt = Date.now();
    await cluster.redisStore.waitUntilEnded();
    const file = findCurrentAppendOnlyFile(cluster.redisFolder);
    const lossStartsAt = killedAt - LOST_PERIOD_MS;
    const firstSample = samples.find((sample) => sample.file === file && sample.takenAt >= lossStartsAt);
    // Without a sample, Redis has started the file after the last sample, so all of it is lost.
    truncateSync(file, firstSample?.bytes ?? 0);
  });
};

/**
 * Finds the append-only file that Redis writes now: the last one of type `i` (incremental) in the manifest. Each
 * rewrite starts a new file.
 */
const findCurrentAppendOnlyFile = (folder: string): string => {
  const aofFolder = path.join(folder, 'appendonlydir');
  const manifest = readdirSync(aofFolder).find((name) => name.endsWith('.manifest'));
  const manifestText = readFileSync(path.join(aofFolder, manifest ?? ''), 'utf8');
  const lastMatch = [...manifestText.matchAll(/^file (\S+) .*type i/gm)].at(-1);
  return path.join(aofFolder, lastMatch?.[1] ?? '');
};
