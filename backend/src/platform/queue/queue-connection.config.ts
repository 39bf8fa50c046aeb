import type { RedisOptions } from 'bullmq';
import { reconnectDelayMs } from '../redis/redis.module';

/**
 * Connection options for BullMQ. A worker keeps waiting during an outage; a producer is on the request path and fails
 * fast.
 */
export const createQueueConnection = (
  url: string,
  { isProducer }: { isProducer: boolean },
): RedisOptions => ({
  url,
  connectTimeout: 2_000,
  retryStrategy: reconnectDelayMs,
  ...(isProducer
    ? { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 2_000 }
    : { maxRetriesPerRequest: null }),
});
