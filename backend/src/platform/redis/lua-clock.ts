/**
 * Lua fragment: `now()` answers Redis' own time in ms, the same throughout a script. The clocks of replicas do not
 * matter.
 */
export const luaClock = `
local clock
local function now()
  if not clock then
    local time = redis.call('TIME')
    clock = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return clock
end
`;
