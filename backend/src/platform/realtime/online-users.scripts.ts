import { RedisScript } from '../redis/redis-script.model';
import { socketDirectoryLua } from './socket-directory.scripts';

/**
 * Lua functions of the scripts below. `socketDirectoryLua` provides `prefix` (the prefix of all keys), `directory`,
 * `now` and `evictDead`. Its topics are users here, and the members of a topic are the user's sockets.
 *
 * KEYS of each script: the `replicas` key of a presence shard. The prefix is taken from it. Further keys, after the
 * prefix:
 *   sockets:<user>   hash of the directory, socket → `<replica>|<time of opening in ms>`
 *   online           set of the online users
 *   leaving          sorted set of the online users without a socket, by the time at which they go offline (ms)
 */
const presenceLua = `${socketDirectoryLua}
-- Removes a socket. If it was the user's last one, their grace period begins.
local function leave(user, socket, replica, graceMs)
  if directory.leave(user, socket, replica) and directory.isEmpty(user) then
    redis.call('ZADD', prefix .. 'leaving', now() + graceMs, user)
  end
end
`;

/**
 * `cameOnline`: whether the user was offline before. `sockets`: empty unless the user has too many sockets; then two
 * elements for each of them, its id and `<replica>|<time of opening in ms>`.
 */
export type JoinReply = [cameOnline: 0 | 1, ...sockets: string[]];

/** Records an opened socket. ARGV: user, socket, replica, time of opening (ms), maximum number of sockets per user. */
export const joinScript = new RedisScript<JoinReply>(`${presenceLua}
local user, socket, replica, openedAtMs, maxSockets = unpack(ARGV)
directory.join(user, socket, replica, openedAtMs)
redis.call('ZREM', prefix .. 'leaving', user)
local cameOnline = redis.call('SADD', prefix .. 'online', user)
local reply = {cameOnline}
if redis.call('HLEN', prefix .. 'sockets:' .. user) > tonumber(maxSockets) then
  for _, field in ipairs(redis.call('HGETALL', prefix .. 'sockets:' .. user)) do
    reply[#reply + 1] = field
  end
end
return reply
`);

/**
 * Removes a closed socket. After the last one, the user goes offline at the end of the grace period.
 * ARGV: user, socket, replica, grace period in ms.
 */
export const leaveScript = new RedisScript<null>(
  `${presenceLua}
local user, socket, replica, graceMs = unpack(ARGV)
leave(user, socket, replica, tonumber(graceMs))
return nil
`,
  { allowOom: true }, // removing a socket frees memory
);

/** Maximum number of users that one call takes offline. */
const MAX_OFFLINE_PER_SWEEP = 128;

/**
 * Evicts the sockets of dead replicas, and takes users offline whose grace period has ended.
 * ARGV: grace period in ms, when the replicas were found dead (ms), then their ids. `evictDead` reads them itself, and
 * passes the grace period to `leave`.
 * Returns whether another call is needed, and the users who went offline.
 */
export const sweepScript = new RedisScript<[more: 0 | 1, ...userIds: string[]]>(
  `${presenceLua}
local more = evictDead(leave)
local offline = redis.call('ZRANGEBYSCORE', prefix .. 'leaving', '-inf', now(), 'LIMIT', 0, ${MAX_OFFLINE_PER_SWEEP})
if #offline > 0 then
  redis.call('ZREM', prefix .. 'leaving', unpack(offline))
  redis.call('SREM', prefix .. 'online', unpack(offline))
end
if #offline == ${MAX_OFFLINE_PER_SWEEP} then more = 1 end
return {more, unpack(offline)}
`,
  { allowOom: true },
);
