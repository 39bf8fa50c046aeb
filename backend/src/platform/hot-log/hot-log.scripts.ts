import { RedisScript } from '../redis/redis-script';

/** First element of an append's answer. */
export const appendOutcome = { appended: 1, behind: 0, outboxFull: -2, claimLost: -3 } as const;

export type AppendReply =
  | [typeof appendOutcome.appended, outboxWasEmpty: 0 | 1, ...ids: string[]]
  | [typeof appendOutcome.behind, length: number, missed: [id: string, fields: string[]][]]
  | [typeof appendOutcome.outboxFull | typeof appendOutcome.claimLost];

/** Events that may wait in one cell's outbox before senders are told `unavailable`. */
const OUTBOX_CAP = 50_000;

/** Says something to each replica that has a socket in the session, but one. */
const publishing = `
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

/**
 * The one generic append. Knows no rule of the product: it compares the stream's end with what the caller
 * decided upon, adds the events to the stream and to the cell's outbox, and publishes them.
 *
 * KEYS: stream. ARGV: expected length, expected last id, prefix, session id, claim (a member of deadlines that must
 * be overdue, or ''), the replica that need not be told, then the events.
 */
export const appendScript = new RedisScript<AppendReply>(`${publishing}
local prefix, session, claim = ARGV[3], ARGV[4], ARGV[5]
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if (last and last[1] or '') ~= ARGV[2] then
  local missed = redis.call('XRANGE', KEYS[1], ARGV[2] == '' and '-' or '(' .. ARGV[2], '+')
  return {0, redis.call('XLEN', KEYS[1]), missed}
end
local length = tonumber(ARGV[1])
local outbox = prefix .. 'outbox'
local queued = redis.call('XLEN', outbox)
if queued >= ${OUTBOX_CAP} then return {-2} end
if claim ~= '' then
  local due = redis.call('ZSCORE', prefix .. 'deadlines', claim)
  local t = redis.call('TIME')
  if not due or tonumber(due) > t[1] * 1000 + math.floor(t[2] / 1000) then return {-3} end
  redis.call('ZREM', prefix .. 'deadlines', claim)
end
local reply = {1, queued == 0 and 1 or 0}
for i = 7, #ARGV do
  local id = redis.call('XADD', KEYS[1], '*', 'e', ARGV[i])
  length = length + 1
  redis.call('XADD', outbox, '*', 's', session, 'i', id, 'e', ARGV[i])
  publish(prefix, session, ARGV[6], length .. ' ' .. id .. ' ' .. ARGV[i])
  reply[#reply + 1] = id
end
return reply
`);

/**
 * Appends a lost tail again, under the ids that it had, if the stream still ends where the tail began.
 * KEYS: stream, outbox. ARGV: length, last id, session id, then id and event of each.
 */
export const restoreScript = new RedisScript<0 | 1>(`
if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or last[1] ~= ARGV[2] then return 0 end
for i = 4, #ARGV, 2 do
  redis.call('XADD', KEYS[1], ARGV[i], 'e', ARGV[i + 1])
  redis.call('XADD', KEYS[2], '*', 's', ARGV[3], 'i', ARGV[i], 'e', ARGV[i + 1])
end
return 1
`);

/** KEYS: sockets. ARGV: prefix, session, message. */
export const whisperScript = new RedisScript<null>(`${publishing}
publish(ARGV[1], ARGV[2], '', ARGV[3])
return nil
`);

const common = `${publishing}
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
export const awaitScript = new RedisScript<null>(`${common}
for i = 4, #ARGV do
  if not isPresent(ARGV[2], ARGV[i]) then
    redis.call('ZADD', prefix .. 'deadlines', 'NX', now() + ARGV[3], ARGV[2] .. '|' .. ARGV[i])
  end
end
return nil
`);

/** The chat is over. KEYS: deadlines. ARGV: prefix, session, then its users. */
export const closeScript = new RedisScript<null>(`${common}
redis.call('DEL', prefix .. 'sockets:' .. ARGV[2])
for i = 3, #ARGV do redis.call('ZREM', prefix .. 'deadlines', ARGV[2] .. '|' .. ARGV[i]) end
return nil
`);
