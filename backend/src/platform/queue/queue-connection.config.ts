import type { RedisOptions } from 'bullmq';

/** How BullMQ connects. A worker must wait through an outage; a producer on the request path must not. */
export const queueConnection = (url: string, { isProducer }: { isProducer: boolean }): RedisOptions => ({
  url,
  connectTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  ...(isProducer
    ? { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 2_000 }
    : { maxRetriesPerRequest: null }),
});
