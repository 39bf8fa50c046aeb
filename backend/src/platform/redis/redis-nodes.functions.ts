import { type ChainableCommander, Cluster, Redis } from 'ioredis';
import type { RedisClient } from './redis-connection.factory';

/** Number of hash slots of every Redis Cluster. */
const SLOT_COUNT = 16_384;

/** Commands whose replies are collected together. Their keys may be in different slots. They are not a transaction. */
export type RedisBatch = ChainableCommander;

type Reply = [error: Error | null, result: unknown];

const isCluster = (redis: RedisClient): redis is RedisClient & Cluster => redis instanceof Cluster;

/** For a client that is not a cluster: its class is `Redis`. */
const toServer = (redis: RedisClient): Redis => redis as unknown as Redis;

/**
 * Starts a batch, which `exec` completes. On a single server the batch is a pipeline. On a cluster each command is sent
 * separately when it is added: ioredis refuses a pipeline with slots of several nodes, and cannot redirect part of a
 * pipeline while slots are being moved.
 */
export const openBatch = (redis: RedisClient): RedisBatch =>
  isCluster(redis) ? new ClusterBatch(redis).commands : toServer(redis).pipeline();

/** The batch of a cluster, see `openBatch`. */
class ClusterBatch {
  private readonly replies: Promise<Reply>[] = [];

  constructor(private readonly cluster: Cluster) {}

  /** Each property except `exec` is a method that sends the command of that name and returns this proxy. */
  readonly commands: RedisBatch = new Proxy({} as RedisBatch, {
    get: (_, name) => {
      if (name === 'exec') return () => Promise.all(this.replies);
      return (...parameters: (string | number)[]) => this.send(String(name), parameters);
    },
  });

  private send(command: string, parameters: readonly (string | number)[]): RedisBatch {
    this.replies.push(
      this.cluster.call(command, ...parameters).then(
        (result): Reply => [null, result],
        (error: Error): Reply => [error, null],
      ),
    );
    return this.commands;
  }
}

/**
 * Returns a connection to each primary that serves slots.
 * @throws Error while a slot of the cluster has no connected primary, because a scan would miss the keys of that slot.
 */
export const listPrimaries = (redis: RedisClient): Redis[] => {
  if (!isCluster(redis)) return [toServer(redis)];
  const primaries = new Map(
    redis.nodes('master').map((node) => [`${node.options.host}:${node.options.port}`, node]),
  );
  const servingPrimaries = new Set<Redis>();
  for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
    // `slots` has the addresses of the nodes of each slot, as `host:port`, the primary first.
    const [primaryAddress = ''] = redis.slots[slot] ?? [];
    const primary = primaries.get(primaryAddress);
    // The error begins with a code of Redis, by which `isStoreFailure` recognises that Redis is unavailable.
    if (!primary) throw new Error('CLUSTERDOWN A slot of the cluster has no primary');
    servingPrimaries.add(primary);
  }
  return [...servingPrimaries];
};

/**
 * Checks that at least one primary responds. During the failover of one primary of a cluster, the others respond.
 * @returns whether the first response is `PONG`.
 * @throws Error if no primary responds.
 */
export const pingAny = async (redis: RedisClient): Promise<boolean> => {
  const primaries = isCluster(redis) ? redis.nodes('master') : [toServer(redis)];
  return (await Promise.any(primaries.map((primary) => primary.ping()))) === 'PONG';
};

/** Returns a connection to each primary and each replica of a cluster, or to the single server. */
export const listNodes = (redis: RedisClient): Redis[] =>
  isCluster(redis) ? redis.nodes('all') : [toServer(redis)];

/**
 * Yields the keys that match `pattern` on all primaries, in pages. A key may occur twice.
 * @param count the number of keys that one SCAN command examines. Redis is blocked while the command runs.
 */
export async function* scanKeys(
  redis: RedisClient,
  pattern: string,
  count: number,
): AsyncGenerator<string[], void> {
  for (const primary of listPrimaries(redis)) {
    let cursor = '0';
    do {
      const [next, keys] = await primary.scan(cursor, 'MATCH', pattern, 'COUNT', count);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== '0');
  }
}
