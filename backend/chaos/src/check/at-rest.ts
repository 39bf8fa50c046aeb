import type { Inspection } from '../inspect-process';
import type { Violation } from './checker';

/** What the processes and stores hold while no one is there. */
export interface AtRest {
  /** By name of the process. */
  processes: Record<string, Inspection>;
  redisClients: number;
  redisChannels: number;
  postgresConnections: number;
  lastingKeys: Record<string, number>;
}

/** Heap after a forced collection, at most so many times what it was. */
const HEAP_FACTOR = 1.2;
/** A pool may hold its connections for a while, and a process has a timer more or less at any moment. */
const SLACK: Record<string, number> = { Timeout: 6, Immediate: 2 };
const POOL_SIZE = 10;
const CLIENTS_SLACK = 2;
/** One entry for each replica that was here. */
const KEYS_SLACK = 3;
/** Collections whose size says what was used, up to a bound that they keep. */
const BOUNDS: Record<string, number> = {
  // One entry for each shard group that this worker has carried.
  'OutboxProcessor.startedAt': 4,
  // Decoders of images stay for a minute without work, at most two of them.
  'ImageProcessingService.decoders.processes': 2,
  'ImageProcessingService.decoders.idle': 2,
};

const least = (one: Record<string, number>, other: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.keys(one).map((key) => [key, Math.min(one[key] ?? 0, other[key] ?? 0)]));

/** What was there at both of two looks: what only one of them saw was work in hand. */
export const atBoth = (one: AtRest, other: AtRest): AtRest => ({
  processes: Object.fromEntries(
    Object.entries(one.processes).map(([name, first]) => {
      const second = other.processes[name] ?? first;
      return [
        name,
        {
          heapBytes: Math.min(first.heapBytes, second.heapBytes),
          resources: least(first.resources, second.resources),
          collections: least(first.collections, second.collections),
        },
      ];
    }),
  ),
  redisClients: Math.min(one.redisClients, other.redisClients),
  redisChannels: Math.min(one.redisChannels, other.redisChannels),
  postgresConnections: Math.min(one.postgresConnections, other.postgresConnections),
  lastingKeys: least(one.lastingKeys, other.lastingKeys),
});

/** What has grown from one rest to the next. */
export const growth = (before: AtRest, after: AtRest): Violation[] => {
  const found: string[] = [];
  const compare = (what: string, was: number, is: number, slack = 0): void => {
    if (is > was + slack) found.push(`${what}: ${was} before, ${is} after`);
  };
  for (const [name, was] of Object.entries(before.processes)) {
    const is = after.processes[name];
    if (!is) {
      found.push(`${name} does not answer`);
      continue;
    }
    const heapMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
    if (is.heapBytes > was.heapBytes * HEAP_FACTOR)
      found.push(`${name}: heap ${heapMiB(was.heapBytes)} MiB before, ${heapMiB(is.heapBytes)} MiB after`);
    for (const [type, count] of Object.entries(is.resources))
      compare(
        `${name}: ${type}`,
        was.resources[type] ?? 0,
        count,
        SLACK[type.split(' ')[0] ?? ''] ?? POOL_SIZE,
      );
    for (const [collection, size] of Object.entries(is.collections))
      if (size > (BOUNDS[collection] ?? 0))
        compare(`${name}: ${collection}`, was.collections[collection] ?? 0, size);
  }
  compare('clients of Redis', before.redisClients, after.redisClients, CLIENTS_SLACK);
  compare('channels of Redis', before.redisChannels, after.redisChannels);
  const processes = Object.keys(before.processes).length;
  compare(
    'connections to PostgreSQL',
    before.postgresConnections,
    after.postgresConnections,
    processes * POOL_SIZE,
  );
  for (const [shape, count] of Object.entries(after.lastingKeys))
    compare(`${shape}, which never expires`, before.lastingKeys[shape] ?? 0, count, KEYS_SLACK);
  return found.map((what) => ({ rule: 'at rest', what }));
};
