import { RedisScript } from '../redis/redis-script.model';
import { socketDirectoryLua } from './socket-directory.scripts';

/** KEYS of the scripts below: replicas. The topic of this directory is a user, its members are sockets. */
const common = `${socketDirectoryLua}
local function leave(user, socket, replica, graceMs)
  if directory.leave(user, socket, replica) and directory.isEmpty(user) then
    redis.call('ZADD', P .. 'leaving', now() + graceMs, user)
  end
end
`;

/** Whether the user came online by it, and all sockets of a user with too many, by id and recorded value in turn. */
export type JoinReply = [cameOnline: 0 | 1, ...sockets: string[]];

/** A socket was opened. ARGV: user, socket, replica, time of opening, sockets that a user may have. */
export const joinScript = new RedisScript<JoinReply>(`${common}
local user = ARGV[1]
directory.join(user, ARGV[2], ARGV[3], ARGV[4])
redis.call('ZREM', P .. 'leaving', user)
local reply = {redis.call('SADD', P .. 'online', user)}
if redis.call('HLEN', P .. 'sockets:' .. user) > tonumber(ARGV[5]) then
  for _, text in ipairs(redis.call('HGETALL', P .. 'sockets:' .. user)) do reply[#reply + 1] = text end
end
return reply
`);

/** A socket was closed; with the last one the user goes offline after the grace. ARGV: user, socket, replica, grace ms. */
export const leaveScript = new RedisScript<null>(
  `${common}
leave(ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]))
return nil
`,
  { allowOom: true },
);

const MAX_OFFLINE_PER_SWEEP = 128;

/** ARGV: grace ms, then the dead replicas. Answers whether more is to be done, and users who went offline. */
export const sweepScript = new RedisScript<[more: 0 | 1, ...userIds: string[]]>(
  `${common}
local more = evictDead(leave)
local gone = redis.call('ZRANGEBYSCORE', P .. 'leaving', '-inf', now(), 'LIMIT', 0, ${MAX_OFFLINE_PER_SWEEP})
if #gone > 0 then
  redis.call('ZREM', P .. 'leaving', unpack(gone))
  redis.call('SREM', P .. 'online', unpack(gone))
end
if #gone == ${MAX_OFFLINE_PER_SWEEP} then more = 1 end
return {more, unpack(gone)}
`,
  { allowOom: true },
);

/**
 * Publishes to channels whether a user is online at that moment, so that late publishers still send the current state.
 * KEYS: online. ARGV: user, the message when online, the message when not, then the channels.
 */
export const publishPresenceScript = new RedisScript<null>(`
local message = redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 and ARGV[2] or ARGV[3]
for i = 4, #ARGV do redis.call('PUBLISH', ARGV[i], message) end
return nil
`);
