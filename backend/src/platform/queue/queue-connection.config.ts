import type { RedisOptions } from 'bullmq';

/** Connection options for BullMQ. A worker waits out an outage; a producer is on the request path and fails fast. */
export const createQueueConnection = (
  url: string,
  { isProducer }: { isProducer: boolean },
): RedisOptions => ({
  url,
  connectTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  ...(isProducer
    ? { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 2_000 }
    : { maxRetriesPerRequest: null }),
});
