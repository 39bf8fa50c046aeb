import { luaClock } from '../redis/redis-clock.scripts';
import { RedisScript } from '../redis/redis-script.model';

/** Expired leases are kept for this long, so that sweepers can ask for them alone. */
const EXPIRED_KEPT_MS = 60_000;
/** Expired leases that one renewal moves away: after an outage all expire at once, and each renewal moves some. */
const MAX_MOVED_PER_RENEWAL = 100;

/** KEYS of all scripts but `deadAmong`: the live leases, the names of their replicas, the expired leases, the epoch. */
const common = `${luaClock}
local leases, names, expired, epochKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
-- Another set of live replicas: ranks have to be asked for again.
local function beginEpoch(at)
  redis.call('SET', epochKey, math.max(at, tonumber(redis.call('GET', epochKey) or 0) + 1))
end
`;

/**
 * Renews a lease; moves leases that ran out to the expired ones. O(log N), of which most calls spend a single ZADD.
 * ARGV: replica, lease in ms, the epoch that the replica knows ('' for none).
 * Answers whether the lease had run out (or never was), and, if it is another epoch than that, the epoch, the replica's
 * rank by name and the number of leases.
 */
export const renewScript = new RedisScript<RenewReply>(
  `${common}
local replica = ARGV[1]
local at = now()
local score = redis.call('ZSCORE', leases, replica)
local lapsed = (not score or tonumber(score) <= at) and 1 or 0
redis.call('ZADD', leases, at + ARGV[2], replica)
if lapsed == 1 then
  redis.call('ZADD', names, 0, replica)
  redis.call('ZREM', expired, replica)
  beginEpoch(at)
end
local oldest = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')
if tonumber(oldest[2]) <= at then
  local out = redis.call('ZRANGEBYSCORE', leases, '-inf', at, 'LIMIT', 0, ${MAX_MOVED_PER_RENEWAL})
  redis.call('ZREM', leases, unpack(out))
  redis.call('ZREM', names, unpack(out))
  for _, other in ipairs(out) do redis.call('ZADD', expired, at, other) end
  beginEpoch(at)
end
local epoch = redis.call('GET', epochKey)
if epoch == ARGV[3] then return {lapsed} end
return {lapsed, epoch, redis.call('ZRANK', names, replica), redis.call('ZCARD', names)}
`,
  { allowOom: true },
);

export type RenewReply = [lapsed: 0 | 1] | [lapsed: 0 | 1, epoch: string | null, rank: number, count: number];

/** Gives a lease up: it counts as expired at once. ARGV: replica. */
export const releaseScript = new RedisScript<null>(
  `${common}
local at = now()
redis.call('ZREM', leases, ARGV[1])
redis.call('ZREM', names, ARGV[1])
redis.call('ZADD', expired, at, ARGV[1])
beginEpoch(at)
return nil
`,
  { allowOom: true },
);

/** Answers Redis' time and the replicas whose lease ran out within the last minute: usually none. */
export const expiredScript = new RedisScript<[at: number, ...replicas: string[]]>(
  `${common}
local at = now()
redis.call('ZREMRANGEBYSCORE', expired, '-inf', at - ${EXPIRED_KEPT_MS})
return {at, unpack(redis.call('ZRANGE', expired, 0, -1))}
`,
  { allowOom: true },
);

/** KEYS: the live leases. ARGV: replicas. Answers Redis' time and those of them without a live lease. */
export const deadAmongScript = new RedisScript<[at: number, ...replicas: string[]]>(`${luaClock}
local at = now()
local reply = {at}
for i, score in ipairs(redis.call('ZMSCORE', KEYS[1], unpack(ARGV))) do
  if not score or tonumber(score) <= at then reply[#reply + 1] = ARGV[i] end
end
return reply
`);
