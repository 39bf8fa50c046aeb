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
  /** Number of Redis keys without an expiry, by shape: the key with placeholders for ids (`toKeyShape`). */
  keysWithoutExpiry: Record<string, number>;
}

// The limits up to which growth is not reported.

/** The heap after a forced garbage collection may grow by this factor. */
const MAX_HEAP_GROWTH_FACTOR = 1.2;
/** The numbers of timers vary by this much at rest. */
const TIMER_SLACK: Record<string, number> = { Timeout: 6, Immediate: 2 };
/** Connections in the pool of a process, which keeps idle connections for a while. */
const POOL_SIZE = 10;
/** The numbers of other resources vary by this much at rest: a pool opens and closes sockets. */
const RESOURCE_SLACK = POOL_SIZE;
/** The number of connections to Redis varies by this much at rest. */
const CLIENTS_SLACK = 2;
/** Each of the three replicas may leave one key of each shape. */
const KEYS_SLACK = 3;
/** Collections that grow with use, up to this size. */
const COLLECTION_LIMITS: Record<string, number> = {
  // One entry for each of the four shard groups whose events this worker has persisted.
  'OutboxProcessor.passStartedAt': 4,
  // Idle image decoders are kept for a minute, at most two of them.
  'ImageProcessingService.decoders.processes': 2,
  'ImageProcessingService.decoders.idle': 2,
};

/** Returns the smaller count of each key of `first`: 0 for a key that `second` lacks. Other keys are left out. */
const computeMinimumCounts = (
  first: Record<string, number>,
  second: Record<string, number>,
): Record<string, number> =>
  Object.fromEntries(Object.keys(first).map((key) => [key, Math.min(first[key] ?? 0, second[key] ?? 0)]));

/**
 * Returns the smaller one of each pair of values of two inspections. A value that has grown in only one of them is no
 * leak: work was in progress.
 */
export const computeMinimum = (first: IdleState, second: IdleState): IdleState => ({
  processes: Object.fromEntries(
    Object.entries(first.processes).map(([name, firstInspection]) => {
      const secondInspection = second.processes[name] ?? firstInspection;
      return [
        name,
        {
          heapBytes: Math.min(firstInspection.heapBytes, secondInspection.heapBytes),
          resources: computeMinimumCounts(firstInspection.resources, secondInspection.resources),
          collections: computeMinimumCounts(firstInspection.collections, secondInspection.collections),
        },
      ];
    }),
  ),
  redisClients: Math.min(first.redisClients, second.redisClients),
  redisChannels: Math.min(first.redisChannels, second.redisChannels),
  postgresConnections: Math.min(first.postgresConnections, second.postgresConnections),
  keysWithoutExpiry: computeMinimumCounts(first.keysWithoutExpiry, second.keysWithoutExpiry),
});

const formatMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** Reports the resources that have grown between two inspections at rest. */
export const findGrowth = (before: IdleState, after: IdleState): Violation[] => {
  const descriptions: string[] = [];
  const compare = (figure: string, countBefore: number, countAfter: number, slack = 0): void => {
    if (countAfter > countBefore + slack)
      descriptions.push(`${figure}: ${countBefore} before, ${countAfter} after`);
  };
  for (const [name, earlier] of Object.entries(before.processes)) {
    const later = after.processes[name];
    if (!later) {
      descriptions.push(`${name} does not answer`);
      continue;
    }
    if (later.heapBytes > earlier.heapBytes * MAX_HEAP_GROWTH_FACTOR)
      descriptions.push(
        `${name}: heap ${formatMiB(earlier.heapBytes)} MiB before, ${formatMiB(later.heapBytes)} MiB after`,
      );
    for (const [type, count] of Object.entries(later.resources))
      compare(
        `${name}: ${type}`,
        earlier.resources[type] ?? 0,
        count,
        // With CHAOS_TIMERS=1, a type can also be `Timeout of <line of code that created the timer>`.
        TIMER_SLACK[type.split(' ')[0] ?? ''] ?? RESOURCE_SLACK,
      );
    for (const [collection, size] of Object.entries(later.collections))
      if (size > (COLLECTION_LIMITS[collection] ?? 0))
        compare(`${name}: ${collection}`, earlier.collections[collection] ?? 0, size);
  }
  compare('clients of Redis', before.redisClients, after.redisClients, CLIENTS_SLACK);
  compare('channels of Redis', before.redisChannels, after.redisChannels);
  const processCount = Object.keys(before.processes).length;
  compare(
    'connections to PostgreSQL',
    before.postgresConnections,
    after.postgresConnections,
    processCount * POOL_SIZE,
  );
  for (const [keyShape, count] of Object.entries(after.keysWithoutExpiry))
    compare(`${keyShape}, which never expires`, before.keysWithoutExpiry[keyShape] ?? 0, count, KEYS_SLACK);
  return descriptions.map((description) => ({ rule: 'at rest', description }));
};
