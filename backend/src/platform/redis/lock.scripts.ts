import { RedisScript } from './redis-script.model';

/** Acquires or extends a lock. KEYS: lock. ARGV: token, ttl in ms. Returns whether `token` holds the lock. */
export const lockScript = new RedisScript<0 | 1>(
  `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
  { allowOom: true },
);

/** Releases a lock if `token` holds it. KEYS: lock. ARGV: token. */
export const unlockScript = new RedisScript<number>(
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
  { allowOom: true },
);
