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

// Growth up to the following limits is not reported.

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
/** Collections that may grow with use, up to this size. No other collection may grow. */
const COLLECTION_LIMITS: Record<string, number> = {
  // One entry for each of the four shard groups whose events this worker has persisted.
  'OutboxProcessor.passStartedAt': 4,
  // Idle image decoders are kept for a minute, at most two of them.
  'ImageProcessingService.decoders.processes': 2,
  'ImageProcessingService.decoders.idle': 2,
};

/** Returns the smaller of the two counts of each key of `first`. A count that `second` lacks is 0. */
const computeMinimumCounts = (
  first: Record<string, number>,
  second: Record<string, number>,
): Record<string, number> =>
  Object.fromEntries(Object.keys(first).map((key) => [key, Math.min(first[key] ?? 0, second[key] ?? 0)]));

/**
 * Returns the smaller of the two values of each resource. A value that has grown in only one inspection is no leak:
 * work was in progress.
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

interface Comparison {
  figure: string;
  before: number | undefined;
  after: number;
  /** Growth that is not reported. */
  slack?: number;
}

/** Describes the growth of a figure; empty if it has not grown by more than the slack. */
const describeGrowth = ({ figure, before = 0, after, slack = 0 }: Comparison): string[] =>
  after > before + slack ? [`${figure}: ${before} before, ${after} after`] : [];

const describeHeapGrowth = (name: string, before: number, after: number): string[] => {
  if (after <= before * MAX_HEAP_GROWTH_FACTOR) return [];
  return [`${name}: heap ${formatMiB(before)} MiB before, ${formatMiB(after)} MiB after`];
};

/** @param type with CHAOS_TIMERS=1 also `Timeout of <line of code that created the timer>` */
const getResourceSlack = (type: string): number => {
  const [firstWord = ''] = type.split(' ');
  return TIMER_SLACK[firstWord] ?? RESOURCE_SLACK;
};

const describeProcessGrowth = (name: string, before: Inspection, after: Inspection | undefined): string[] => {
  if (!after) return [`${name} does not answer`];
  const isAboveLimit = ([collection, size]: [string, number]): boolean =>
    size > (COLLECTION_LIMITS[collection] ?? 0);
  return [
    ...describeHeapGrowth(name, before.heapBytes, after.heapBytes),
    ...Object.entries(after.resources).flatMap(([type, count]) =>
      describeGrowth({
        figure: `${name}: ${type}`,
        before: before.resources[type],
        after: count,
        slack: getResourceSlack(type),
      }),
    ),
    ...Object.entries(after.collections)
      .filter(isAboveLimit)
      .flatMap(([collection, size]) =>
        describeGrowth({
          figure: `${name}: ${collection}`,
          before: before.collections[collection],
          after: size,
        }),
      ),
  ];
};

/** Reports the resources that have grown between two inspections at rest. */
export const findGrowth = (before: IdleState, after: IdleState): Violation[] => {
  const processes = Object.entries(before.processes);
  const descriptions = [
    ...processes.flatMap(([name, inspection]) =>
      describeProcessGrowth(name, inspection, after.processes[name]),
    ),
    ...describeGrowth({
      figure: 'clients of Redis',
      before: before.redisClients,
      after: after.redisClients,
      slack: CLIENTS_SLACK,
    }),
    ...describeGrowth({
      figure: 'channels of Redis',
      before: before.redisChannels,
      after: after.redisChannels,
    }),
    ...describeGrowth({
      figure: 'connections to PostgreSQL',
      before: before.postgresConnections,
      after: after.postgresConnections,
      slack: processes.length * POOL_SIZE,
    }),
    ...Object.entries(after.keysWithoutExpiry).flatMap(([keyShape, count]) =>
      describeGrowth({
        figure: `${keyShape}, which never expires`,
        before: before.keysWithoutExpiry[keyShape],
        after: count,
        slack: KEYS_SLACK,
      }),
    ),
  ];
  return descriptions.map((description) => ({ rule: 'at rest', description }));
};
