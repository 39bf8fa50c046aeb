import { socketDirectoryLua } from '../realtime/socket-directory.scripts';
import { RedisScript } from '../redis/redis-script.model';
import { publishToReplicasLua } from './publish-to-replicas.scripts';

/**
 * Lua functions of the scripts below. `prefix` (the prefix of the keys), `directory`, `now` and `evictDead` come from
 * `socketDirectoryLua`. KEYS of each script: the `replicas` key of the chat's shard.
 *
 * `directory` records members of topics, each with a note. Here a topic is a chat, identified by its session id
 * (`session`). Its members are sockets, and the note of a socket is `<user>|<1 if the socket shows the chat, else 0>`.
 *
 * Only sockets that show the chat make their user present. An absent user has a deadline (`<session>|<user>`): the chat
 * ends unless the user returns before it. The set `away` holds the absent users who were present earlier.
 *
 * Scripts with `allowOom` also run while Redis is out of memory, because they free memory or help to end abandoned
 * chats, which frees memory.
 */
const presenceLua = `${socketDirectoryLua}${publishToReplicasLua}
-- One hour, which is longer than any grace period.
local AWAY_KEPT_MS = 3600000
local deadlines = prefix .. 'deadlines'
local function isPresent(session, user)
  local note = '|' .. user .. '|1'
  for _, value in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    if string.sub(value, -#note) == note then return true end
  end
  return false
end
local function publishConnection(session, user, state)
  publish(prefix, session, '', 'connection ' .. user .. ' ' .. state)
end
-- Call this when the user has joined or returned.
local function stopGrace(session, user)
  redis.call('SREM', prefix .. 'away:' .. session, user)
  if redis.call('ZREM', deadlines, session .. '|' .. user) == 1 then publishConnection(session, user, 'connected') end
end
-- Call this when the user is not present. If the user was absent already, their earlier deadline stays.
local function startGrace(session, user, graceMs)
  if redis.call('ZADD', deadlines, 'NX', now() + graceMs, session .. '|' .. user) == 0 then return end
  redis.call('SADD', prefix .. 'away:' .. session, user)
  redis.call('PEXPIRE', prefix .. 'away:' .. session, AWAY_KEPT_MS)
  publishConnection(session, user, 'reconnecting')
end
-- A negative graceMs means that the chat has ended, so no deadline is set.
local function leave(session, socket, replica, graceMs)
  local note = directory.leave(session, socket, replica)
  if not note or graceMs < 0 then return end
  local user = string.match(note, '^[^|]+')
  if not isPresent(session, user) then startGrace(session, user, graceMs) end
end
`;

/**
 * The replies of `joinScript`. `awaited`: the partner has not joined yet. `reconnecting`: the partner has left and may
 * return before their deadline.
 */
export const partnerStates = { connected: 1, awaited: 0, reconnecting: -1 } as const;

/**
 * Records a socket in the chat, or a change of whether it shows the chat.
 * ARGV: session, socket, replica, user, partner, whether the socket shows the chat (1 or 0), and the grace period in ms
 * for a user who was present and no longer shows the chat on any socket.
 * Returns the partner's state, as in `partnerStates`.
 */
export const joinScript = new RedisScript<1 | 0 | -1>(`${presenceLua}
local session, socket, replica, user, partner, showsChat, graceMs = unpack(ARGV)
local wasPresent = isPresent(session, user)
directory.join(session, socket, replica, user .. '|' .. showsChat)
if isPresent(session, user) then stopGrace(session, user)
elseif wasPresent then startGrace(session, user, tonumber(graceMs)) end
-- A partner without a deadline counts as connected: an absent partner has a deadline from the start of the chat on.
if isPresent(session, partner) or not redis.call('ZSCORE', deadlines, session .. '|' .. partner) then
  return ${partnerStates.connected}
end
if redis.call('SISMEMBER', prefix .. 'away:' .. session, partner) == 1 then return ${partnerStates.reconnecting} end
return ${partnerStates.awaited}
`);

/** Removes a socket from the chat. ARGV: session, socket, replica, grace period in ms (-1: the chat has ended). */
export const leaveScript = new RedisScript<null>(
  `${presenceLua}
local session, socket, replica, graceMs = unpack(ARGV)
leave(session, socket, replica, tonumber(graceMs))
return nil
`,
  { allowOom: true },
);

/**
 * Maximum number of overdue deadlines that one sweep of a shard returns. The caller postpones those that it cannot
 * handle, so that the next sweep returns others.
 */
const MAX_OVERDUE_PER_SWEEP = 32;

/**
 * Evicts the sockets of dead replicas.
 * ARGV, read by `evictDead`: grace period in ms, the time at which the replicas were found dead (ms), then their ids.
 * Returns whether more sockets are to be evicted, and the overdue deadlines.
 */
export const sweepScript = new RedisScript<[more: 0 | 1, ...overdue: string[]]>(
  `${presenceLua}
local more = evictDead(leave)
return {more, unpack(redis.call('ZRANGEBYSCORE', deadlines, '-inf', now(), 'LIMIT', 0, ${MAX_OVERDUE_PER_SWEEP}))}
`,
  { allowOom: true },
);

/**
 * Sets a deadline for each user who is absent from the chat and has none yet.
 * ARGV: session, grace period in ms, then the users.
 */
export const setDeadlinesScript = new RedisScript<null>(`${presenceLua}
local session, graceMs = ARGV[1], ARGV[2]
for i = 3, #ARGV do
  local user = ARGV[i]
  if not isPresent(session, user) then
    redis.call('ZADD', deadlines, 'NX', now() + graceMs, session .. '|' .. user)
  end
end
return nil
`);

/** Postpones a deadline if it exists. ARGV: session, user, ms from now. */
export const postponeScript = new RedisScript<null>(
  `${presenceLua}
local session, user, delayMs = unpack(ARGV)
redis.call('ZADD', deadlines, 'XX', now() + delayMs, session .. '|' .. user)
return nil
`,
  { allowOom: true },
);

/** Deletes the presence data of a chat that has ended. ARGV: session, then its users. */
export const forgetScript = new RedisScript<null>(
  `${presenceLua}
local session = ARGV[1]
redis.call('DEL', prefix .. 'sockets:' .. session, prefix .. 'away:' .. session)
for i = 2, #ARGV do redis.call('ZREM', deadlines, session .. '|' .. ARGV[i]) end
return nil
`,
  { allowOom: true },
);

/** Publishes a message to every replica that holds a socket of the session. ARGV: session, message. */
export const publishScript = new RedisScript<null>(`${publishToReplicasLua}
local session, message = unpack(ARGV)
local prefix = string.match(KEYS[1], '^{[^}]+}:')
publish(prefix, session, '', message)
return nil
`);
