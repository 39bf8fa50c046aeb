import { RedisScript } from '../redis/redis-script.model';

/** Events that may wait in one shard's outbox before senders are answered `unavailable`. */
export const OUTBOX_MAX_ENTRIES = 50_000;
/** Bytes of Redis that they may take; 64 of these are half of the `maxmemory` of docker-compose.yml. */
export const OUTBOX_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Lua: `isOutboxFull(outbox, queued)`. The size is asked for at every 16th entry (an append adds one or two), which
 * keeps it out of the way of single messages: it takes 19 µs for 4 MiB.
 */
export const isOutboxFull = `
local function isOutboxFull(outbox, queued)
  if queued >= ${OUTBOX_MAX_ENTRIES} then return true end
  if queued < 16 or queued % 16 > 1 then return false end
  return redis.call('MEMORY', 'USAGE', outbox, 'SAMPLES', 0) >= ${OUTBOX_MAX_BYTES}
end
`;

const allowOom = true;

/** KEYS: lock. ARGV: token, ttl in ms. Answers whether the lock is the token's. */
export const lockScript = new RedisScript<0 | 1>(
  `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
  { allowOom },
);

/** KEYS: lock. ARGV: token. */
export const unlockScript = new RedisScript<number>(
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
  { allowOom },
);

/**
 * Moves one entry to another stream, unless it has been moved already; so a repetition moves nothing twice.
 * KEYS: from, to. ARGV: id in `from`, then fields to add.
 */
export const moveScript = new RedisScript<0 | 1>(
  `
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then return 0 end
local fields = {unpack(entry[2], 1, 6)}
for i = 2, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('XADD', KEYS[2], '*', unpack(fields))
redis.call('XDEL', KEYS[1], ARGV[1])
return 1
`,
  { allowOom },
);

export type ShardFigures = [length: number, bytes: number, oldestId: string, deadLetters: number];

/**
 * KEYS: outbox, dead letters. ARGV: where the oldest entry is looked for.
 * Answers the outbox's length and bytes, the id of its oldest entry from there on ('' without one), and dead letters.
 */
export const figuresScript = new RedisScript<ShardFigures>(
  `
local length = redis.call('XLEN', KEYS[1])
local dead = redis.call('XLEN', KEYS[2])
if length == 0 then return {0, 0, '', dead} end
local oldest = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', 1)[1]
return {length, redis.call('MEMORY', 'USAGE', KEYS[1], 'SAMPLES', 0), oldest and oldest[1] or '', dead}
`,
  { allowOom },
);
