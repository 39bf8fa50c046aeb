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
 * @param limits `intervalMs`: time in which one token is refilled; `burst`: tokens in a full bucket.
 */
export const take = (
  fullAtMs: number,
  nowMs: number,
  cost: number,
  limits: { intervalMs: number; burst: number },
): TakeResult => {
  const { intervalMs, burst } = limits;
  const newFullAtMs = Math.max(nowMs, fullAtMs) + cost * intervalMs;
  // Even an empty bucket is full again after this time. Only a bucket that lacks tokens would be full later.
  const refillMs = burst * intervalMs;
  const retryAfterMs = newFullAtMs - refillMs - nowMs;
  return retryAfterMs > 0
    ? { allowed: false, retryAfterMs: Math.ceil(retryAfterMs), fullAtMs }
    : { allowed: true, retryAfterMs: 0, fullAtMs: newFullAtMs };
};

/**
 * The same algorithm in Lua, for buckets that all replicas share, by the clock of Redis. A key holds the time at which
 * its bucket is full again, in whole microseconds, and expires at that time.
 * `take` returns the milliseconds to wait, 0 if it took the tokens. A negative cost is a refund and never refused.
 * `charge` takes tokens even if the bucket has too few, and returns the milliseconds until the bucket is full again.
 */
export const bucketLua = `${luaClock}
local function toMicros(ms) return ms * 1000 end
local function toMs(micros) return math.ceil(micros / 1000) end

local function readFullAtMicros(key)
  return math.max(nowMicros(), tonumber(redis.call('GET', key) or 0))
end
local function store(key, fullAtMicros)
  local remainingMicros = fullAtMicros - nowMicros()
  if remainingMicros <= 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, string.format('%.0f', fullAtMicros), 'PX', toMs(remainingMicros))
  end
end
local function take(key, cost, intervalMs, burst)
  local newFullAtMicros = readFullAtMicros(key) + toMicros(cost * intervalMs)
  local waitMicros = newFullAtMicros - toMicros(burst * intervalMs) - nowMicros()
  local canBeRefused = cost > 0
  if canBeRefused and waitMicros > 0 then return toMs(waitMicros) end
  store(key, newFullAtMicros)
  return 0
end
local function charge(key, cost, intervalMs)
  local newFullAtMicros = readFullAtMicros(key) + toMicros(cost * intervalMs)
  store(key, newFullAtMicros)
  return toMs(newFullAtMicros - nowMicros())
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
