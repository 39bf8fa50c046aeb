import { connectRedis, type RedisClient, type RedisSettings } from './redis-connection.factory';
import { drainingKey, layoutKey } from './redis.keys';

/**
 * Version of the keys, values and messages in Redis. Increment it with every change that processes of the previous
 * release cannot handle. Such a release cannot be rolled out gradually: docs/rolling-releases.md.
 */
export const REDIS_LAYOUT = '4';

/** How long a starting process waits for each reply. */
const STARTING_TIMEOUT_MS = 2_000;

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
    const found = await claimLayout(redis).catch(() => undefined);
    if (found) requireUsableLayout(found);
  } finally {
    redis.disconnect();
  }
};

/** @throws Error if Redis has the layout of another release. A Redis without a layout is accepted. */
export const requireOwnLayout = async (redis: RedisClient): Promise<void> => {
  requireUsableLayout({ layout: await redis.get(layoutKey), isDraining: false });
};

interface FoundLayout {
  /** null if Redis had no layout. */
  layout: string | null;
  isDraining: boolean;
}

/** Records the layout of this release if Redis has none. */
const claimLayout = async (redis: RedisClient): Promise<FoundLayout> => {
  if ((await redis.exists(drainingKey)) === 1) return { layout: null, isDraining: true };
  const layout = (await redis.call('SET', layoutKey, REDIS_LAYOUT, 'NX', 'GET')) as string | null;
  return { layout, isDraining: false };
};

const requireUsableLayout = ({ layout, isDraining }: FoundLayout): void => {
  const advice = 'see docs/rolling-releases.md';
  if (isDraining) throw new Error(`Redis is being drained: ${advice}`);
  if (layout !== null && layout !== REDIS_LAYOUT)
    throw new Error(
      `Redis holds layout ${layout} and this release works with layout ${REDIS_LAYOUT}: ${advice}`,
    );
};
