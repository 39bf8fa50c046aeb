/**
 * Lua fragment: `now()` answers Redis' own time in ms and `nowMicros()` in µs, the same throughout a script. The clocks
 * of replicas do not matter.
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
