/**
 * Lua fragment: `now()` returns the time of Redis in ms and `nowMicros()` in µs, constant during one script. Scripts
 * do not depend on the replicas' clocks.
 */
export const luaClock = `
local clock
local function nowMicros()
  if not clock then
    local time = redis.call('TIME')
    clock = time[1] * 1000000 + time[2]
  end
  return clock
end
local function now() return math.floor(nowMicros() / 1000) end
`;
