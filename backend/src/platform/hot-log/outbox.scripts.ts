import { RedisScript } from '../redis/redis-script.model';

/** Maximum number of events in one shard's outbox; beyond it, senders receive `unavailable`. */
export const OUTBOX_MAX_ENTRIES = 50_000;
/** Maximum memory of one outbox. All 64 outboxes together take half of the `maxmemory` in docker-compose.yml. */
export const OUTBOX_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Lua function `isOutboxFull(outbox, queued)`; `queued` is the number of entries. Measuring memory takes 19 µs for
 * 4 MiB, so it is measured once for every 16 entries: when `queued` is a multiple of 16, or one more, because an append
 * of two entries can skip the multiple.
 */
export const isOutboxFullLua = `
local function isOutboxFull(outbox, queued)
  if queued >= ${OUTBOX_MAX_ENTRIES} then return true end
  if queued < 16 or queued % 16 > 1 then return false end
  return redis.call('MEMORY', 'USAGE', outbox, 'SAMPLES', 0) >= ${OUTBOX_MAX_BYTES}
end
`;

/** The scripts below also run while Redis is full: they are needed to empty the outboxes, which frees memory. */
const allowOom = true;

/**
 * Moves one entry to another stream. Repeating the call is harmless, because an entry is moved only once.
 * KEYS: source, target. ARGV: id of the entry in the source, then fields to add. Returns the number of entries moved.
 */
export const moveScript = new RedisScript<0 | 1>(
  `
local source, target, id = KEYS[1], KEYS[2], ARGV[1]
local entry = redis.call('XRANGE', source, id, id)[1]
if not entry then return 0 end
-- The fields session, entry and event, each with its value. A dead letter also has a reason, which a replay drops.
local fields = {unpack(entry[2], 1, 6)}
for i = 2, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('XADD', target, '*', unpack(fields))
redis.call('XDEL', source, id)
return 1
`,
  { allowOom },
);

export type ShardFigures = [length: number, bytes: number, oldestId: string, deadLetters: number];

/**
 * Measures one shard.
 * KEYS: outbox, dead letters. ARGV: start of an XRANGE that excludes held entries. These wait for an entry of their
 * chat that could not be written.
 * Returns the outbox's length and bytes, the id of the oldest entry in the range ('' if none), and the number of dead
 * letters.
 */
export const measureShardScript = new RedisScript<ShardFigures>(
  `
local outbox, deadLetters, startOfRange = KEYS[1], KEYS[2], ARGV[1]
local length = redis.call('XLEN', outbox)
local dead = redis.call('XLEN', deadLetters)
if length == 0 then return {0, 0, '', dead} end
local oldest = redis.call('XRANGE', outbox, startOfRange, '+', 'COUNT', 1)[1]
return {length, redis.call('MEMORY', 'USAGE', outbox, 'SAMPLES', 0), oldest and oldest[1] or '', dead}
`,
  { allowOom },
);
