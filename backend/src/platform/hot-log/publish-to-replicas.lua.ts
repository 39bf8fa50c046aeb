/**
 * Lua function `publish(prefix, session, except, message)`: publishes to every replica that holds a socket of the
 * session, except `except` ('' for none).
 */
export const publishToReplicas = `
local function publish(prefix, session, except, message)
  local told = {[except] = true}
  for _, owner in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    local replica = string.sub(owner, string.find(owner, '|', 1, true) + 1)
    if not told[replica] then
      told[replica] = true
      redis.call('PUBLISH', prefix .. 'live:' .. replica, session .. ' ' .. message)
    end
  end
end
`;
