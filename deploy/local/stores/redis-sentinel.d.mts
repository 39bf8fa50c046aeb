import type { RedisClusterNode } from './redis-cluster.mjs';

/** A primary, its replica and three Sentinels. */
export interface RedisSentinel {
  /** REDIS_URL with the ACL that the compose files set for the product. */
  readonly url: string;
  /** REDIS_SENTINEL_PASSWORD */
  readonly sentinelPassword: string;
  /** The server that the Sentinels name as the primary. */
  findPrimary(): Promise<RedisClusterNode>;
  /** Commands that the ACL denied, as `<user> <command>`. */
  listDeniedCommands(): Promise<string[]>;
  stop(): Promise<void>;
}

/** @param options.downAfterMs silence after which the primary counts as failed */
export function startRedisSentinel(options?: { downAfterMs?: number }): Promise<RedisSentinel>;
