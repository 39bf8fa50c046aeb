import { luaClock } from '../redis/redis-clock.scripts';
import { RedisScript } from '../redis/redis-script.model';

// A replica renews its lease while it is alive; without a live lease it counts as dead. The live replicas share the
// sweeps (periodic clean-ups) by rank: their position in the list of live replicas, sorted by name. A rank is valid for
// one epoch, which ends when a replica joins or leaves.
//
// Scripts that write have `allowOom`: while Redis is out of memory, replicas must not count as dead, and sweeps must
// still free memory.

/** How long a replica stays in the set of expired leases, which `findExpiredScript` reads. */
const EXPIRED_KEPT_MS = 60_000;
/** Maximum number of expired leases that one renewal moves: after an outage of Redis, all leases have expired. */
const MAX_MOVED_PER_RENEWAL = 100;

/**
 * The first lines of all scripts except `findDeadScript`. KEYS:
 * - live leases: replica ids by expiry
 * - names: the same ids in lexical order, which determines the ranks
 * - expired leases: replica ids by the time at which the lease was found expired
 * - epoch: the number of the current epoch
 */
const scriptStart = `${luaClock}
local leases, names, expired, epochKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
-- Call this after a change of the set of live replicas. Epochs increase, even if two begin in one millisecond.
local function beginEpoch(nowMs)
  redis.call('SET', epochKey, math.max(nowMs, tonumber(redis.call('GET', epochKey) or 0) + 1))
end
`;

/**
 * `hadNoLease` is 1 if the lease had expired or never existed. If the replica already knows the current epoch, this is
 * the whole reply. Otherwise the epoch follows (null if Redis has lost its key), then the rank of the replica and the
 * number of live leases.
 */
export type RenewReply =
  [hadNoLease: 0 | 1] | [hadNoLease: 0 | 1, epoch: string | null, rank: number, count: number];

/**
 * Renews a lease, and moves expired leases of other replicas to the set of expired leases. O(log N); usually the only
 * write is one ZADD.
 * ARGV: replica, duration of the lease in ms, the last epoch that the replica read ('' for none).
 */
export const renewScript = new RedisScript<RenewReply>(
  `${scriptStart}
local replica, leaseMs, knownEpoch = unpack(ARGV)
local nowMs = now()
local expiresAt = redis.call('ZSCORE', leases, replica)
local hadNoLease = not expiresAt or tonumber(expiresAt) <= nowMs
redis.call('ZADD', leases, nowMs + leaseMs, replica)
if hadNoLease then
  redis.call('ZADD', names, 0, replica)
  redis.call('ZREM', expired, replica)
  beginEpoch(nowMs)
end
local _, earliestExpiry = unpack(redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES'))
if tonumber(earliestExpiry) <= nowMs then
  local newlyExpired = redis.call('ZRANGEBYSCORE', leases, '-inf', nowMs, 'LIMIT', 0, ${MAX_MOVED_PER_RENEWAL})
  redis.call('ZREM', leases, unpack(newlyExpired))
  redis.call('ZREM', names, unpack(newlyExpired))
  for _, other in ipairs(newlyExpired) do redis.call('ZADD', expired, nowMs, other) end
  beginEpoch(nowMs)
end
local reply = {hadNoLease and 1 or 0}
local epoch = redis.call('GET', epochKey)
if epoch ~= knownEpoch then
  reply = {reply[1], epoch, redis.call('ZRANK', names, replica), redis.call('ZCARD', names)}
end
return reply
`,
  { allowOom: true },
);

/** Ends a lease before its expiry, and adds it to the expired leases. ARGV: replica. */
export const releaseScript = new RedisScript<null>(
  `${scriptStart}
local replica = ARGV[1]
local nowMs = now()
redis.call('ZREM', leases, replica)
redis.call('ZREM', names, replica)
redis.call('ZADD', expired, nowMs, replica)
beginEpoch(nowMs)
return nil
`,
  { allowOom: true },
);

/**
 * Finds replicas that died recently, without knowing their ids. Returns the time of Redis (ms) and all replicas whose
 * lease was found expired within the last minute (`EXPIRED_KEPT_MS`).
 */
export const findExpiredScript = new RedisScript<[nowMs: number, ...replicas: string[]]>(
  `${scriptStart}
local nowMs = now()
redis.call('ZREMRANGEBYSCORE', expired, '-inf', nowMs - ${EXPIRED_KEPT_MS})
return {nowMs, unpack(redis.call('ZRANGE', expired, 0, -1))}
`,
  { allowOom: true },
);

/**
 * Finds the dead ones among given replicas, however long ago they died. KEYS: live leases. ARGV: replicas. Returns the
 * time of Redis (ms) and those of the replicas that have no live lease.
 */
export const findDeadScript = new RedisScript<[nowMs: number, ...replicas: string[]]>(`${luaClock}
local leases, replicas = KEYS[1], ARGV
local nowMs = now()
local reply = {nowMs}
for i, expiresAt in ipairs(redis.call('ZMSCORE', leases, unpack(replicas))) do
  if not expiresAt or tonumber(expiresAt) <= nowMs then reply[#reply + 1] = replicas[i] end
end
return reply
`);
