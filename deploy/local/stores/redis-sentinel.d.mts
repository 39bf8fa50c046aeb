import type { RedisClusterNode } from './redis-cluster.mjs';

/** A primary, its replica and three Sentinels. */
export interface RedisSentinel {
  /** REDIS_URL of a user with the ACL that the compose files set for the product. */
  readonly url: string;
  /** The value of REDIS_SENTINEL_PASSWORD. */
  readonly sentinelPassword: string;
  /** The server that the Sentinels name as the primary. */
  findPrimary(): Promise<RedisClusterNode>;
  /** Commands that the ACL denied, as `<user> <command>`. */
  listDeniedCommands(): Promise<string[]>;
  /** Kills all processes and deletes their data. */
  stop(): Promise<void>;
}

/**
 * Starts the servers and the Sentinels.
 * @param options.downAfterMs time without a response after which the primary counts as failed
 */
export function startRedisSentinel(options?: { downAfterMs?: number }): Promise<RedisSentinel>;
