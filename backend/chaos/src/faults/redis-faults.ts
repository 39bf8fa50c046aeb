import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, REDIS_MAX_BYTES } from '../cluster/cluster';
import type { redisKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';
import { untilAnswers } from './process-faults';

const LOST_MS = 1_000;
const SAMPLE_MS = 50;

/** Faults of Redis' memory or data. */
export const redisFault = (cluster: Cluster, kind: (typeof redisKinds)[number]): FaultEffect => {
  switch (kind) {
    case 'full':
      return limit(cluster, (used) => Math.max(1, Math.floor(used * 0.9)));
    case 'nearly-full':
      // Above the 70 % at which new chats and messages are refused, below the 100 % at which Redis refuses writes.
      return limit(cluster, (used) => Math.ceil(used / 0.8));
    case 'flushed':
      return {
        begin: async () => void (await cluster.redis.flushall()),
        end: async () => undefined,
      };
    case 'truncated':
      return { begin: () => loseLastSecond(cluster), end: () => untilAnswers(cluster, 'redis') };
  }
};

const limit = (cluster: Cluster, bytesOf: (usedBytes: number) => number): FaultEffect => ({
  async begin() {
    const used = Number(/^used_memory:(\d+)/m.exec(await cluster.redis.info('memory'))?.[1]);
    await cluster.redis.config('SET', 'maxmemory', String(bytesOf(used)));
  },
  end: async () => void (await cluster.redis.config('SET', 'maxmemory', String(REDIS_MAX_BYTES))),
});

/**
 * Simulates a power failure of the machine of Redis: what was written to the append-only file within the last second is
 * lost. Redis is killed, the file is truncated to its size one second earlier, and Redis is restarted.
 */
const loseLastSecond = async (cluster: Cluster): Promise<void> => {
  const samples: { file: string; bytes: number; at: number }[] = [];
  const sample = (): void => {
    const file = currentFile(cluster.redisFolder);
    samples.push({ file, bytes: statSync(file).size, at: Date.now() });
  };
  for (const until = Date.now() + LOST_MS; Date.now() < until; await sleep(SAMPLE_MS)) sample();
  await cluster.redisStore.whileHeld(async () => {
    cluster.redisStore.signal('SIGKILL');
    const killedAt = Date.now();
    await cluster.redisStore.gone();
    const file = currentFile(cluster.redisFolder);
    const kept = samples.find((one) => one.file === file && one.at >= killedAt - LOST_MS);
    truncateSync(file, kept?.bytes ?? 0);
  });
};

/** The file that is appended to now; each rewrite starts another one. */
const currentFile = (folder: string): string => {
  const place = path.join(folder, 'appendonlydir');
  const manifest = readdirSync(place).find((name) => name.endsWith('.manifest'));
  const lines = readFileSync(path.join(place, manifest ?? ''), 'utf8')
    .trim()
    .split('\n');
  const [, name = ''] =
    /^file (\S+) .*type i/.exec(lines.filter((line) => /type i/.test(line)).at(-1) ?? '') ?? [];
  return path.join(place, name);
};
