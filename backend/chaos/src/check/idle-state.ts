import type { Inspection } from '../inspect-process';
import type { Violation } from './evidence-checker';

/** Resources that processes and stores hold while no user is connected. */
export interface IdleState {
  /** By process name. */
  processes: Record<string, Inspection>;
  /** Connections to Redis. */
  redisClients: number;
  redisChannels: number;
  postgresConnections: number;
  /** Number of Redis keys without an expiry, by shape. */
  keysWithoutExpiry: Record<string, number>;
}

/** Heap after a forced collection may grow by this factor. */
const MAX_HEAP_GROWTH_FACTOR = 1.2;
/** By how many the timers of a process vary at rest. */
const TIMER_SLACK: Record<string, number> = { Timeout: 6, Immediate: 2 };
/** Connections in a pool, which keeps idle ones for a while. Also the slack of resources that are no timers. */
const POOL_SIZE = 10;
/** By how many the connections to Redis vary at rest. */
const CLIENTS_SLACK = 2;
/** Each of the three replicas may leave one entry. */
const KEYS_SLACK = 3;
/** Collections that grow with use, up to this size. */
const COLLECTION_LIMITS: Record<string, number> = {
  // One entry for each shard group that this worker has persisted.
  'OutboxProcessor.passStartedAt': 4,
  // Idle image decoders are kept for a minute, at most two of them.
  'ImageProcessingService.decoders.processes': 2,
  'ImageProcessingService.decoders.idle': 2,
};

const computeMinimumCounts = (
  one: Record<string, number>,
  other: Record<string, number>,
): Record<string, number> =>
  Object.fromEntries(Object.keys(one).map((key) => [key, Math.min(one[key] ?? 0, other[key] ?? 0)]));

/** Of each value the smaller one of two inspections: growth that only one of them saw was work in progress. */
export const computeMinimum = (one: IdleState, other: IdleState): IdleState => ({
  processes: Object.fromEntries(
    Object.entries(one.processes).map(([name, first]) => {
      const second = other.processes[name] ?? first;
      return [
        name,
        {
          heapBytes: Math.min(first.heapBytes, second.heapBytes),
          resources: computeMinimumCounts(first.resources, second.resources),
          collections: computeMinimumCounts(first.collections, second.collections),
        },
      ];
    }),
  ),
  redisClients: Math.min(one.redisClients, other.redisClients),
  redisChannels: Math.min(one.redisChannels, other.redisChannels),
  postgresConnections: Math.min(one.postgresConnections, other.postgresConnections),
  keysWithoutExpiry: computeMinimumCounts(one.keysWithoutExpiry, other.keysWithoutExpiry),
});

/** Reports what has grown between two inspections at rest. */
export const findGrowth = (before: IdleState, after: IdleState): Violation[] => {
  const found: string[] = [];
  const compare = (what: string, earlier: number, later: number, slack = 0): void => {
    if (later > earlier + slack) found.push(`${what}: ${earlier} before, ${later} after`);
  };
  for (const [name, earlier] of Object.entries(before.processes)) {
    const later = after.processes[name];
    if (!later) {
      found.push(`${name} does not answer`);
      continue;
    }
    const formatMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
    if (later.heapBytes > earlier.heapBytes * MAX_HEAP_GROWTH_FACTOR)
      found.push(
        `${name}: heap ${formatMiB(earlier.heapBytes)} MiB before, ${formatMiB(later.heapBytes)} MiB after`,
      );
    for (const [type, count] of Object.entries(later.resources))
      compare(
        `${name}: ${type}`,
        earlier.resources[type] ?? 0,
        count,
        TIMER_SLACK[type.split(' ')[0] ?? ''] ?? POOL_SIZE,
      );
    for (const [collection, size] of Object.entries(later.collections))
      if (size > (COLLECTION_LIMITS[collection] ?? 0))
        compare(`${name}: ${collection}`, earlier.collections[collection] ?? 0, size);
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
  for (const [keyShape, count] of Object.entries(after.keysWithoutExpiry))
    compare(`${keyShape}, which never expires`, before.keysWithoutExpiry[keyShape] ?? 0, count, KEYS_SLACK);
  return found.map((what) => ({ rule: 'at rest', what }));
};
