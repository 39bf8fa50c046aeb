import type { RedisClusterNode } from './redis-cluster.mjs';

/** A primary, its replica and three Sentinels. */
export interface RedisSentinel {
  /** REDIS_URL with the rights that compose gives to the product. */
  readonly url: string;
  /** REDIS_SENTINEL_PASSWORD */
  readonly sentinelPassword: string;
  /** The server that the Sentinels name as the primary. */
  findPrimary(): Promise<RedisClusterNode>;
  /** Commands that were refused for lack of rights, as `<user> <command>`. */
  listRefusals(): Promise<string[]>;
  stop(): Promise<void>;
}

/** @param options.downAfterMs silence after which the primary counts as failed */
export function startRedisSentinel(options?: { downAfterMs?: number }): Promise<RedisSentinel>;
