/**
 * Lua functions: `now()` returns the time of Redis in ms, and `nowMicros()` in µs. Both stay constant during a script.
 * Scripts use the clock of Redis because the clocks of the replicas differ.
 */
export const luaClock = `
local timeMicros
local function nowMicros()
  if not timeMicros then
    local time = redis.call('TIME')
    timeMicros = time[1] * 1000000 + time[2]
  end
  return timeMicros
end
local function now() return math.floor(nowMicros() / 1000) end
`;
