import { luaClock } from '../redis/lua-clock';
import { RedisScript } from '../redis/redis-script';

/** Expired leases are kept for this long, so that sweepers can ask for them alone. */
const EXPIRED_KEPT_MS = 60_000;
/** Expired leases that one renewal moves away: after an outage all expire at once, and each renewal moves some. */
const MOVED_AT_ONCE = 100;

/** KEYS of all scripts but `deadAmong`: the live leases, the names of their replicas, the expired leases. */
const common = `${luaClock}
local leases, names, expired = KEYS[1], KEYS[2], KEYS[3]
`;

/**
 * Renews a lease in O(log N), and moves leases that ran out to the expired ones. ARGV: replica, lease in ms.
 * Answers whether the lease had run out (or never was), the replica's rank by name and the number of leases.
 */
export const renewScript = new RedisScript<[lapsed: 0 | 1, rank: number, count: number]>(
  `${common}
local replica = ARGV[1]
local at = now()
local score = redis.call('ZSCORE', leases, replica)
local lapsed = (not score or tonumber(score) <= at) and 1 or 0
redis.call('ZADD', leases, at + ARGV[2], replica)
local rank = redis.call('ZRANK', names, replica)
if lapsed == 1 or not rank then
  redis.call('ZADD', names, 0, replica)
  redis.call('ZREM', expired, replica)
  rank = redis.call('ZRANK', names, replica)
end
local out = redis.call('ZRANGEBYSCORE', leases, '-inf', at, 'LIMIT', 0, ${MOVED_AT_ONCE})
if #out > 0 then
  redis.call('ZREM', leases, unpack(out))
  redis.call('ZREM', names, unpack(out))
  for _, other in ipairs(out) do redis.call('ZADD', expired, at, other) end
  rank = redis.call('ZRANK', names, replica)
end
return {lapsed, rank, redis.call('ZCARD', names)}
`,
  { allowOom: true },
);

/** Gives a lease up: it counts as expired at once. ARGV: replica. */
export const releaseScript = new RedisScript<null>(
  `${common}
redis.call('ZREM', leases, ARGV[1])
redis.call('ZREM', names, ARGV[1])
redis.call('ZADD', expired, now(), ARGV[1])
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
