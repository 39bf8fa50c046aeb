/**
 * Generic cell rate algorithm. A bucket is one number: the time until which what was taken is paid off.
 * https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
export interface Taken {
  allowed: boolean;
  /** When refused: after how long the same may be allowed. */
  retryAfterMs: number;
  paidUntilMs: number;
}

export const take = (
  paidUntilMs: number,
  nowMs: number,
  cost: number,
  { intervalMs, burst }: { intervalMs: number; burst: number },
): Taken => {
  const next = Math.max(nowMs, paidUntilMs) + cost * intervalMs;
  const retryAfterMs = next - burst * intervalMs - nowMs;
  return retryAfterMs > 0
    ? { allowed: false, retryAfterMs: Math.ceil(retryAfterMs), paidUntilMs }
    : { allowed: true, retryAfterMs: 0, paidUntilMs: next };
};

/**
 * The same by the clock of Redis, for all replicas. Times in microseconds.
 * KEYS[1] bucket · ARGV[1] cost, negative to give back · ARGV[2] interval in ms · ARGV[3] burst.
 * Answers the milliseconds to wait, 0 when taken.
 */
export const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = tonumber(ARGV[2]) * 1000
local paidUntil = tonumber(redis.call('GET', KEYS[1]) or now)
if paidUntil < now then paidUntil = now end
local next = paidUntil + tonumber(ARGV[1]) * interval
if next <= now then
  redis.call('DEL', KEYS[1])
  return 0
end
local wait = next - tonumber(ARGV[3]) * interval - now
if wait > 0 and tonumber(ARGV[1]) > 0 then
  return math.ceil(wait / 1000)
end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000))
return 0
`;
