/**
 * Lua function `publish(prefix, session, except, message)`: publishes `<session> <message>` to every api replica that
 * holds a socket of the session, except `except` ('' for none). Reads the replicas from the session's socket directory,
 * whose values are `<replica>|<note>` (realtime/socket-directory.scripts.ts); the note is ignored.
 */
export const publishToReplicasLua = `
local function publish(prefix, session, except, message)
  local done = {[except] = true}
  for _, entry in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    local replica = string.sub(entry, 1, string.find(entry, '|', 1, true) - 1)
    if not done[replica] then
      done[replica] = true
      redis.call('SPUBLISH', prefix .. 'live:' .. replica, session .. ' ' .. message)
    end
  end
end
`;
