/** Lua fragment: `now()` answers Redis' own time in ms, so that the clocks of replicas do not matter. */
export const luaClock = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;
