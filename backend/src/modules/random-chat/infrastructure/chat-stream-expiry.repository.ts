import { Inject, Injectable } from '@nestjs/common';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { openBatch, scanKeys } from '../../../platform/redis/redis-nodes.functions';
import { chatStreams } from '../../../platform/redis/redis.keys';

/** Number of keys that Redis examines for one SCAN command; small, so that a command does not block Redis for long. */
const SCAN_COUNT = 500;
/** Reply of PTTL for a key that does not expire. */
export const NO_EXPIRY = -1;

/** The expiries of the chat streams in Redis. */
@Injectable()
export class ChatStreamExpiryRepository {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /** Yields the keys of all chat streams, in pages. A key may occur twice. */
  scanKeys(): AsyncGenerator<string[], void> {
    return scanKeys(this.redis, chatStreams.pattern, SCAN_COUNT);
  }

  /** The remaining ms, in the order of the keys; `NO_EXPIRY` for a stream without an expiry, NaN after an error. */
  async readTtls(keys: readonly string[]): Promise<number[]> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.pttl(key);
    return ((await pipeline.exec()) ?? []).map(([, ttl]) => Number(ttl ?? NaN));
  }

  /** @throws errors of Redis. */
  async expire(keys: readonly string[], expireMs: number): Promise<void> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.pexpire(key, expireMs);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
}
