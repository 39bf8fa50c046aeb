import { connectRedis, type RedisClient, type RedisSettings } from './redis-connection.factory';
import { drainingKey, layoutKey } from './redis.keys';

/**
 * Version of the keys, values and messages in Redis. Increment it with every change that processes of the previous
 * release cannot handle. Such a release cannot be rolled out gradually: docs/rolling-releases.md.
 */
export const REDIS_LAYOUT = '4';

/** How long a starting process waits for each reply. */
const STARTING_TIMEOUT_MS = 2_000;
/** End of the error messages. */
const ADVICE = 'see docs/rolling-releases.md';

/**
 * Records the layout of this release, unless Redis has a layout already. Call this before a process uses Redis in any
 * other way. If Redis does not respond, the process may start, because a running process survives an outage of Redis
 * too.
 * @throws Error if Redis has the layout of another release, or is being drained (emptied before a release with another
 * layout).
 */
export const claimRedisLayout = async (settings: RedisSettings): Promise<void> => {
  const redis = connectRedis(settings, {
    enableOfflineQueue: true,
    commandTimeout: STARTING_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  try {
    const earlier = await recordLayoutIfNone(redis).catch(() => undefined);
    if (!earlier) return; // Redis did not respond
    if (earlier.isDraining) throw new Error(`Redis is being drained: ${ADVICE}`);
    requireSameLayout(earlier.layout);
  } finally {
    redis.disconnect();
  }
};

/** @throws Error if Redis has the layout of another release. A Redis without a layout is accepted. */
export const requireOwnLayout = async (redis: RedisClient): Promise<void> => {
  requireSameLayout(await redis.get(layoutKey));
};

/** Records the layout of this release if Redis has none and is not being drained. @returns what Redis had before */
const recordLayoutIfNone = async (
  redis: RedisClient,
): Promise<{ isDraining: boolean; layout: string | null }> => {
  if ((await redis.exists(drainingKey)) === 1) return { isDraining: true, layout: null };
  const layout = (await redis.call('SET', layoutKey, REDIS_LAYOUT, 'NX', 'GET')) as string | null;
  return { isDraining: false, layout };
};

/** @param layout the layout in Redis; null if there is none. */
const requireSameLayout = (layout: string | null): void => {
  if (layout === null || layout === REDIS_LAYOUT) return;
  throw new Error(
    `Redis holds layout ${layout} and this release works with layout ${REDIS_LAYOUT}: ${ADVICE}`,
  );
};
