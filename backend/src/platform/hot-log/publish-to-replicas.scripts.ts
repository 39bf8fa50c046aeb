/**
 * Lua function `publish(prefix, session, except, message)`: publishes to every replica that holds a socket of the
 * session, except `except` ('' for none). Reads the chats' socket directory (realtime/socket-directory.scripts.ts).
 */
export const publishToReplicasLua = `
local function publish(prefix, session, except, message)
  local published = {[except] = true}
  for _, value in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    local replica = string.sub(value, 1, string.find(value, '|', 1, true) - 1)
    if not published[replica] then
      published[replica] = true
      redis.call('PUBLISH', prefix .. 'live:' .. replica, session .. ' ' .. message)
    end
  end
end
`;
