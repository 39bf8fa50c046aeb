import { RedisScript } from '../redis/redis-script';
import { publishToReplicas } from './publish-to-replicas.lua';

/** KEYS: sockets. ARGV: prefix, session, message. */
export const publishScript = new RedisScript<null>(`${publishToReplicas}
publish(ARGV[1], ARGV[2], '', ARGV[3])
return nil
`);

const common = `${publishToReplicas}
local prefix = ARGV[1]
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function isPresent(session, user)
  for _, owner in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    if string.match(owner, '^[^|]+') == user then return true end
  end
  return false
end
local function tell(session, user, state)
  publish(prefix, session, '', 'c ' .. user .. ' ' .. state)
end
local function leave(session, socket, graceMs)
  local owner = redis.call('HGET', prefix .. 'sockets:' .. session, socket)
  if not owner then return end
  redis.call('HDEL', prefix .. 'sockets:' .. session, socket)
  local user = string.match(owner, '^[^|]+')
  if graceMs >= 0 and not isPresent(session, user) then
    redis.call('ZADD', prefix .. 'deadlines', now() + graceMs, session .. '|' .. user)
    tell(session, user, 'reconnecting')
  end
end
`;

/**
 * A socket is in the chat. KEYS: deadlines (for the slot). ARGV: prefix, session, socket, user, replica, partner.
 * Answers whether the partner is there.
 */
export const enterScript = new RedisScript<0 | 1>(`${common}
local session, socket, user, replica = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
redis.call('HSET', prefix .. 'sockets:' .. session, socket, user .. '|' .. replica)
redis.call('SADD', prefix .. 'replica:' .. replica, session .. '|' .. socket)
redis.call('ZADD', prefix .. 'entered', now(), replica)
if redis.call('ZREM', prefix .. 'deadlines', session .. '|' .. user) == 1 then tell(session, user, 'connected') end
return (isPresent(session, ARGV[6]) or not redis.call('ZSCORE', prefix .. 'deadlines', session .. '|' .. ARGV[6])) and 1 or 0
`);

/**
 * A socket has left the chat. KEYS: deadlines. ARGV: prefix, session, socket, replica, grace in ms (-1: the chat
 * has ended). Losing a user's last socket starts his deadline.
 */
export const leaveScript = new RedisScript<null>(`${common}
redis.call('SREM', prefix .. 'replica:' .. ARGV[4], ARGV[2] .. '|' .. ARGV[3])
leave(ARGV[2], ARGV[3], tonumber(ARGV[5]))
return nil
`);

/** A replica through which somebody has just come in lives, even if it is too new for the sweeper's list. */
const ENTERED_LATELY_MS = 2_000;

/**
 * Sweeps a cell: the sockets of replicas whose lease is gone have left; overdue deadlines are answered.
 * KEYS: deadlines. ARGV: prefix, grace in ms, then the live replicas.
 */
export const sweepScript = new RedisScript<string[]>(`${common}
local live = {}
for i = 3, #ARGV do live[ARGV[i]] = true end
local entered = redis.call('ZRANGEBYSCORE', prefix .. 'entered', '-inf', now() - ${ENTERED_LATELY_MS})
for _, replica in ipairs(entered) do
  if not live[replica] then
    for _, member in ipairs(redis.call('SMEMBERS', prefix .. 'replica:' .. replica)) do
      local session, socket = string.match(member, '^(.-)|(.*)$')
      leave(session, socket, tonumber(ARGV[2]))
    end
    redis.call('DEL', prefix .. 'replica:' .. replica)
    redis.call('ZREM', prefix .. 'entered', replica)
  end
end
return redis.call('ZRANGEBYSCORE', prefix .. 'deadlines', '-inf', now(), 'LIMIT', 0, 32)
`);

/**
 * The chat has begun and waits for its users: who does not come has a deadline. KEYS: deadlines.
 * ARGV: prefix, session, grace in ms, then the users.
 */
export const expectScript = new RedisScript<null>(`${common}
for i = 4, #ARGV do
  if not isPresent(ARGV[2], ARGV[i]) then
    redis.call('ZADD', prefix .. 'deadlines', 'NX', now() + ARGV[3], ARGV[2] .. '|' .. ARGV[i])
  end
end
return nil
`);

/** The chat is over. KEYS: deadlines. ARGV: prefix, session, then its users. */
export const forgetScript = new RedisScript<null>(`${common}
redis.call('DEL', prefix .. 'sockets:' .. ARGV[2])
for i = 3, #ARGV do redis.call('ZREM', prefix .. 'deadlines', ARGV[2] .. '|' .. ARGV[i]) end
return nil
`);
