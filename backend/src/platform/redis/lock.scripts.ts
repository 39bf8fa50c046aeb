import { RedisScript } from './redis-script.model';

/**
 * These scripts also run while Redis is full: a worker needs a lock to move chat events from the outboxes in Redis to
 * PostgreSQL, which frees memory.
 */
const allowOom = true;

/** Acquires a lock, or extends it if `token` holds it. KEYS: lock. ARGV: token, ttl in ms. Returns 1 on success. */
export const lockScript = new RedisScript<0 | 1>(
  `
local lock, token, ttlMs = KEYS[1], ARGV[1], ARGV[2]
local holder = redis.call('GET', lock)
if holder and holder ~= token then return 0 end
redis.call('SET', lock, token, 'PX', ttlMs)
return 1
`,
  { allowOom },
);

/** Releases a lock if `token` holds it. KEYS: lock. ARGV: token. Returns the number of locks released. */
export const unlockScript = new RedisScript<number>(
  `
local lock, token = KEYS[1], ARGV[1]
if redis.call('GET', lock) == token then return redis.call('DEL', lock) end
return 0
`,
  { allowOom },
);
