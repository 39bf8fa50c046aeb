/**
 * Lua function `publish(prefix, session, except, message)`: publishes `<session> <message>` to every api replica that
 * holds a socket of the session, except `except` ('' for none). Reads the replicas from the session's socket directory,
 * whose values are `<replica>|<note>` (realtime/socket-directory.scripts.ts).
 */
export const publishToReplicasLua = `
local function publish(prefix, session, except, message)
  local skipped = {[except] = true}
  for _, entry in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    local replica = string.sub(entry, 1, string.find(entry, '|', 1, true) - 1)
    if not skipped[replica] then
      skipped[replica] = true
      redis.call('SPUBLISH', prefix .. 'live:' .. replica, session .. ' ' .. message)
    end
  end
end
`;
