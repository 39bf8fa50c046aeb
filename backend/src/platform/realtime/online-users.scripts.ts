import { RedisScript } from '../redis/redis-script.model';
import { socketDirectoryLua } from './socket-directory.scripts';

/**
 * Beginning of each script below. `socketDirectoryLua` defines `directory`, `prefix` (of all keys), `now` and
 * `evictDead`. In this directory a topic is a user and a member is a socket. KEYS of each script: `replicas`,
 * from which `prefix` is taken.
 *
 * The set `online` contains the online users. The sorted set `leaving` contains users without a socket, by the time at
 * which they go offline.
 */
const common = `${socketDirectoryLua}
local function leave(user, socket, replica, graceMs)
  if directory.leave(user, socket, replica) and directory.isEmpty(user) then
    redis.call('ZADD', prefix .. 'leaving', now() + graceMs, user)
  end
end
`;

/**
 * Whether the user came online. If the user has too many sockets, two elements follow for each of them: its id, and
 * `<replica>|<time of opening in ms>`.
 */
export type JoinReply = [cameOnline: 0 | 1, ...sockets: string[]];

/** Records an opened socket. ARGV: user, socket, replica, time of opening (ms), maximum number of sockets per user. */
export const joinScript = new RedisScript<JoinReply>(`${common}
local user, socket, replica, openedAtMs, maxSockets = unpack(ARGV)
directory.join(user, socket, replica, openedAtMs)
redis.call('ZREM', prefix .. 'leaving', user)
local reply = {redis.call('SADD', prefix .. 'online', user)}
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
  `${common}
local user, socket, replica, graceMs = unpack(ARGV)
leave(user, socket, replica, tonumber(graceMs))
return nil
`,
  { allowOom: true }, // removing a socket frees memory
);

/** Maximum number of users that one call takes offline. */
const MAX_OFFLINE_PER_SWEEP = 128;

/**
 * Evicts the sockets of dead replicas (`evictDead` calls `leave` for each, with the grace period), and takes users
 * offline whose grace period has ended.
 * ARGV: grace period in ms, then the arguments of `deadReplicas` (see `socketDirectoryLua`).
 * Returns 1 if another call is needed, else 0, followed by the users who went offline.
 */
export const sweepScript = new RedisScript<[more: 0 | 1, ...userIds: string[]]>(
  `${common}
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
