import { luaClock } from '../redis/redis-clock.scripts';

/** Result of `take`. */
export interface TakeResult {
  allowed: boolean;
  /** When refused: ms after which the bucket has enough tokens. 0 when allowed. */
  retryAfterMs: number;
  /** New state of the bucket: the time at which it is full again. Unchanged when refused. */
  fullAtMs: number;
}

/**
 * Takes `cost` tokens from a bucket if it has that many, by the generic cell rate algorithm
 * (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm). A cost above `burst` is always refused,
 * even after `retryAfterMs`.
 * @param fullAtMs state of the bucket: the time at which it is full again (the algorithm's theoretical arrival
 * time); 0 for a full bucket.
 * @param nowMs by the same clock as `fullAtMs`.
 * @param bucket `intervalMs`: time in which one token is refilled; `burst`: tokens in a full bucket.
 */
export const take = (
  fullAtMs: number,
  nowMs: number,
  cost: number,
  { intervalMs, burst }: { intervalMs: number; burst: number },
): TakeResult => {
  const newFullAtMs = Math.max(nowMs, fullAtMs) + cost * intervalMs;
  const retryAfterMs = newFullAtMs - burst * intervalMs - nowMs;
  return retryAfterMs > 0
    ? { allowed: false, retryAfterMs: Math.ceil(retryAfterMs), fullAtMs }
    : { allowed: true, retryAfterMs: 0, fullAtMs: newFullAtMs };
};

/**
 * Lua functions for the same algorithm over all replicas, by the clock of Redis. A key holds the time at which its
 * bucket is full again, in whole microseconds, and expires at that time.
 * `take` returns the milliseconds to wait, 0 if it took the tokens. A negative cost is a refund and never refused.
 * `charge` takes tokens even if the bucket has too few, and returns the milliseconds until the bucket is full again.
 */
export const bucketLua = `${luaClock}
local function readFullAt(key)
  return math.max(nowMicros(), tonumber(redis.call('GET', key) or 0))
end
local function store(key, fullAt)
  local remaining = fullAt - nowMicros()
  if remaining <= 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, string.format('%.0f', fullAt), 'PX', math.ceil(remaining / 1000))
  end
end
local function take(key, cost, intervalMs, burst)
  local newFullAt = readFullAt(key) + cost * intervalMs * 1000
  local wait = newFullAt - burst * intervalMs * 1000 - nowMicros()
  if wait > 0 and cost > 0 then return math.ceil(wait / 1000) end
  store(key, newFullAt)
  return 0
end
local function charge(key, cost, intervalMs)
  local newFullAt = readFullAt(key) + cost * intervalMs * 1000
  store(key, newFullAt)
  return math.ceil((newFullAt - nowMicros()) / 1000)
end
`;

/** KEYS: bucket. ARGV: cost, interval in ms, burst. Returns the milliseconds to wait, 0 if it took the tokens. */
export const takeScript = `${bucketLua}
local cost, intervalMs, burst = unpack(ARGV)
return take(KEYS[1], tonumber(cost), tonumber(intervalMs), tonumber(burst))
`;

/** KEYS: bucket. ARGV: cost, interval in ms. Returns the milliseconds until the bucket is full again. */
export const chargeScript = `${bucketLua}
local cost, intervalMs = unpack(ARGV)
return charge(KEYS[1], tonumber(cost), tonumber(intervalMs))
`;
