import type { Redis } from 'ioredis';
import { connectRedis } from './redis.module';
import { drainingKey, layoutKey } from './redis.keys';

/**
 * Numbers what stands in Redis and what is published there: keys, values, messages. Raise it with every change that a
 * process of the release before cannot work with. Such a release cannot be rolled out: docs/rolling-releases.md.
 */
export const REDIS_LAYOUT = '3';

const STARTING_TIMEOUT_MS = 2_000;

/**
 * Records the layout that this release works with, unless Redis holds another one. To be called before a process does
 * anything else with Redis. When Redis does not answer, the process may start, as it may lose Redis later.
 * @throws Error when Redis holds another layout, or is being drained
 */
export const claimRedisLayout = async (url: string): Promise<void> => {
  const redis = connectRedis(url, {
    enableOfflineQueue: true,
    commandTimeout: STARTING_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  try {
    const found = await readLayout(redis).catch(() => undefined);
    if (found) requireSameLayout(found);
  } finally {
    redis.disconnect();
  }
};

/** @throws Error when Redis holds a layout that this release does not know. */
export const requireOwnLayout = async (redis: Redis): Promise<void> => {
  requireSameLayout({ layout: await redis.get(layoutKey), isDraining: false });
};

interface FoundLayout {
  /** null when there was none, and this release's own is there now. */
  layout: string | null;
  isDraining: boolean;
}

const readLayout = async (redis: Redis): Promise<FoundLayout> => {
  if ((await redis.exists(drainingKey)) === 1) return { layout: null, isDraining: true };
  const layout = (await redis.call('SET', layoutKey, REDIS_LAYOUT, 'NX', 'GET')) as string | null;
  return { layout, isDraining: false };
};

const requireSameLayout = ({ layout, isDraining }: FoundLayout): void => {
  const advice = 'see docs/rolling-releases.md';
  if (isDraining) throw new Error(`Redis is being drained: ${advice}`);
  if (layout !== null && layout !== REDIS_LAYOUT)
    throw new Error(
      `Redis holds layout ${layout} and this release works with layout ${REDIS_LAYOUT}: ${advice}`,
    );
};
