import type { Inspection } from '../inspect-process';
import type { Violation } from './checker';

/** What processes and stores hold while no user is connected. */
export interface AtRest {
  /** By process name. */
  processes: Record<string, Inspection>;
  redisClients: number;
  redisChannels: number;
  postgresConnections: number;
  lastingKeys: Record<string, number>;
}

/** Heap after a forced collection may grow by this factor. */
const HEAP_FACTOR = 1.2;
/** Pools keep idle connections for a while, and the number of timers of a process varies. */
const SLACK: Record<string, number> = { Timeout: 6, Immediate: 2 };
const POOL_SIZE = 10;
const CLIENTS_SLACK = 2;
/** One entry for each replica that was running. */
const KEYS_SLACK = 3;
/** Collections that grow with use, up to this size. */
const BOUNDS: Record<string, number> = {
  // One entry for each shard group that this worker has persisted.
  'OutboxProcessor.startedAt': 4,
  // Idle image decoders are kept for a minute, at most two of them.
  'ImageProcessingService.decoders.processes': 2,
  'ImageProcessingService.decoders.idle': 2,
};

const least = (one: Record<string, number>, other: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.keys(one).map((key) => [key, Math.min(one[key] ?? 0, other[key] ?? 0)]));

/** The smaller of two inspections: growth that only one of them saw was work in progress. */
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

/** Reports what has grown between two inspections at rest. */
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
