import { RedisScript } from '../redis/redis-script';

/** KEYS: online. ARGV[1] is the prefix of the part. */
const common = `
local prefix = ARGV[1]
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function leave(user, replica, grace)
  redis.call('SREM', prefix .. 'replica:' .. replica, user)
  if redis.call('SREM', prefix .. 'user:' .. user, replica) == 0 then return end
  if redis.call('EXISTS', prefix .. 'user:' .. user) == 0 then
    redis.call('ZADD', prefix .. 'leaving', now() + grace, user)
  end
end
`;

/** A replica holds a socket of the user. ARGV: prefix, user, replica. Answers 1 when he came online by it. */
export const enterScript = new RedisScript<0 | 1>(`${common}
redis.call('SADD', prefix .. 'user:' .. ARGV[2], ARGV[3])
redis.call('SADD', prefix .. 'replica:' .. ARGV[3], ARGV[2])
redis.call('ZADD', prefix .. 'entered', now(), ARGV[3])
redis.call('ZREM', prefix .. 'leaving', ARGV[2])
return redis.call('SADD', KEYS[1], ARGV[2])
`);

/** It holds none any more. With his last replica he goes offline after the grace. ARGV: prefix, user, replica, grace. */
export const leaveScript = new RedisScript<null>(`${common}
leave(ARGV[2], ARGV[3], tonumber(ARGV[4]))
return nil
`);

/** A replica through which somebody has just come in lives, even if it is too new for the sweeper's list. */
const ENTERED_LATELY_MS = 2_000;

/**
 * Lets the users of dead replicas leave, and those go whose time is over.
 * ARGV: prefix, grace, whether a missing replica is a dead one, then the live replicas.
 * Answers the users who went offline, at most 128 at once.
 */
export const sweepScript = new RedisScript<string[]>(`${common}
if ARGV[3] == '1' then
  local live = {}
  for i = 4, #ARGV do live[ARGV[i]] = true end
  local entered = redis.call('ZRANGEBYSCORE', prefix .. 'entered', '-inf', now() - ${ENTERED_LATELY_MS})
  for _, replica in ipairs(entered) do
    if not live[replica] then
      for _, user in ipairs(redis.call('SMEMBERS', prefix .. 'replica:' .. replica)) do
        leave(user, replica, tonumber(ARGV[2]))
      end
      redis.call('ZREM', prefix .. 'entered', replica)
    end
  end
end
local gone = redis.call('ZRANGEBYSCORE', prefix .. 'leaving', '-inf', now(), 'LIMIT', 0, 128)
for _, user in ipairs(gone) do
  redis.call('ZREM', prefix .. 'leaving', user)
  redis.call('SREM', KEYS[1], user)
end
return gone
`);

/**
 * Says to channels what is so at this moment: whoever says it, and however late, the last word is the true one.
 * ARGV: prefix, user, the message when he is online, the message when he is not, then the channels.
 */
export const tellScript = new RedisScript<null>(`
local message = redis.call('SISMEMBER', KEYS[1], ARGV[2]) == 1 and ARGV[3] or ARGV[4]
for i = 5, #ARGV do redis.call('PUBLISH', ARGV[i], message) end
return nil
`);
