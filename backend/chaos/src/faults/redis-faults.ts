import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, REDIS_MAX_BYTES } from '../cluster/cluster';
import type { redisKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';
import { waitUntilStoreAnswers } from './process-faults';

/** The age of the data that the simulated power failure loses. */
const LOST_PERIOD_MS = 1_000;
const SAMPLE_MS = 50;

/** Faults in which Redis runs out of memory or loses data. */
export const createRedisFault = (cluster: Cluster, kind: (typeof redisKinds)[number]): FaultEffect => {
  switch (kind) {
    case 'full':
      // Below what is used already, so that Redis refuses every write.
      return limitMemory(cluster, (used) => Math.max(1, Math.floor(used * 0.9)));
    case 'nearly-full':
      // Above the 70 % at which new chats and messages are refused, below the 100 % at which Redis refuses writes.
      return limitMemory(cluster, (used) => Math.ceil(used / 0.8));
    case 'flushed':
      return {
        begin: async () => void (await cluster.redis.flushall()),
        end: async () => undefined,
      };
    case 'truncated':
      return { begin: () => truncateLastSecond(cluster), end: () => waitUntilStoreAnswers(cluster, 'redis') };
  }
};

const limitMemory = (cluster: Cluster, computeLimit: (usedBytes: number) => number): FaultEffect => ({
  async begin() {
    const used = Number(/^used_memory:(\d+)/m.exec(await cluster.redis.info('memory'))?.[1]);
    await cluster.redis.config('SET', 'maxmemory', String(computeLimit(used)));
  },
  end: async () => void (await cluster.redis.config('SET', 'maxmemory', String(REDIS_MAX_BYTES))),
});

/**
 * Simulates a power failure of the machine of Redis: what was written to the append-only file within the last second is
 * lost. Redis is killed, the file is truncated to its size one second earlier, and Redis is restarted.
 */
const truncateLastSecond = async (cluster: Cluster): Promise<void> => {
  const samples: { file: string; bytes: number; at: number }[] = [];
  const takeSample = (): void => {
    const file = findCurrentAppendOnlyFile(cluster.redisFolder);
    samples.push({ file, bytes: statSync(file).size, at: Date.now() });
  };
  for (const until = Date.now() + LOST_PERIOD_MS; Date.now() < until; await sleep(SAMPLE_MS)) takeSample();
  await cluster.redisStore.withoutRestarts(async () => {
    cluster.redisStore.sendSignal('SIGKILL');
    const killedAt = Date.now();
    await cluster.redisStore.waitUntilGone();
    const file = findCurrentAppendOnlyFile(cluster.redisFolder);
    const oldestSample = samples.find(
      (sample) => sample.file === file && sample.at >= killedAt - LOST_PERIOD_MS,
    );
    truncateSync(file, oldestSample?.bytes ?? 0);
  });
};

/** The append-only file that Redis writes now. Each rewrite starts another one; the manifest lists it as type `i`. */
const findCurrentAppendOnlyFile = (folder: string): string => {
  const aofFolder = path.join(folder, 'appendonlydir');
  const manifest = readdirSync(aofFolder).find((name) => name.endsWith('.manifest'));
  const manifestLines = readFileSync(path.join(aofFolder, manifest ?? ''), 'utf8')
    .trim()
    .split('\n');
  const [, name = ''] =
    /^file (\S+) .*type i/.exec(manifestLines.filter((line) => /type i/.test(line)).at(-1) ?? '') ?? [];
  return path.join(aofFolder, name);
};
