import { socketDirectoryLua } from '../realtime/socket-directory.scripts';
import { RedisScript } from '../redis/redis-script.model';
import { publishToReplicasLua } from './publish-to-replicas.scripts';

/**
 * Lua functions of the scripts below. `socketDirectoryLua` provides `prefix` (the prefix of all keys), `directory`,
 * `now` and `evictDead`. Its topics are chats here, and the members of a topic are the chat's sockets.
 * `publishToReplicasLua` provides `publish`. KEYS of each script: the `replicas` key of the chat's shard.
 *
 * Only sockets that show the chat make their user present. An absent user has a deadline: the chat ends unless the user
 * returns before it. A chat is identified by its session id. Keys, after the prefix:
 *   sockets:<session>   hash of the directory, socket → `<replica>|<user>|<1 if the socket shows the chat, else 0>`
 *   deadlines           sorted set of `<session>|<user>` of absent users, by their deadline (ms)
 *   away:<session>      set of the absent users who were present earlier
 *
 * Scripts with `allowOom` also run while Redis is out of memory, because they free memory or help to end abandoned
 * chats, which frees memory.
 */
const presenceLua = `${socketDirectoryLua}${publishToReplicasLua}
-- One hour, which is longer than any grace period.
local AWAY_KEPT_MS = 3600000
local deadlines = prefix .. 'deadlines'
local function toDeadline(session, user) return session .. '|' .. user end
local function awayKey(session) return prefix .. 'away:' .. session end
local function isPresent(session, user)
  local ending = '|' .. user .. '|1'
  for _, record in ipairs(redis.call('HVALS', prefix .. 'sockets:' .. session)) do
    if string.sub(record, -#ending) == ending then return true end
  end
  return false
end
local function publishConnection(session, user, state)
  publish(prefix, session, '', 'connection ' .. user .. ' ' .. state)
end
-- Call this when the user has joined or returned.
local function stopGrace(session, user)
  redis.call('SREM', awayKey(session), user)
  local hadDeadline = redis.call('ZREM', deadlines, toDeadline(session, user)) == 1
  if hadDeadline then publishConnection(session, user, 'connected') end
end
-- Call this when the user is not present. If the user was absent already, their earlier deadline stays.
local function startGrace(session, user, graceMs)
  local isNew = redis.call('ZADD', deadlines, 'NX', now() + graceMs, toDeadline(session, user)) == 1
  if not isNew then return end
  redis.call('SADD', awayKey(session), user)
  redis.call('PEXPIRE', awayKey(session), AWAY_KEPT_MS)
  publishConnection(session, user, 'reconnecting')
end
local function leave(session, socket, replica, graceMs)
  local note = directory.leave(session, socket, replica)
  local hasChatEnded = graceMs < 0
  if not note or hasChatEnded then return end
  local user = string.match(note, '^[^|]+')
  if not isPresent(session, user) then startGrace(session, user, graceMs) end
end
`;

/**
 * The replies of `joinScript`. `awaited`: the partner has not joined yet. `reconnecting`: the partner has left and may
 * return before their deadline.
 */
export const partnerStates = { connected: 1, awaited: 0, reconnecting: -1 } as const;
type JoinReply = (typeof partnerStates)[keyof typeof partnerStates];

/**
 * Records a socket in the chat, or a change of whether it shows the chat.
 * ARGV: session, socket, replica, user, partner, whether the socket shows the chat (1 or 0), and the grace period in ms
 * for a user who was present and no longer shows the chat on any socket.
 * Returns the partner's state.
 */
export const joinScript = new RedisScript<JoinReply>(`${presenceLua}
local session, socket, replica, user, partner, showsChat, graceMs = unpack(ARGV)
local wasPresent = isPresent(session, user)
directory.join(session, socket, replica, user .. '|' .. showsChat)
if isPresent(session, user) then stopGrace(session, user)
elseif wasPresent then startGrace(session, user, tonumber(graceMs)) end
if isPresent(session, partner) then return ${partnerStates.connected} end
-- An absent partner has a deadline from the start of the chat on. Without one, the partner counts as connected.
local hasDeadline = redis.call('ZSCORE', deadlines, toDeadline(session, partner))
if not hasDeadline then return ${partnerStates.connected} end
local wasPartnerPresent = redis.call('SISMEMBER', awayKey(session), partner) == 1
if wasPartnerPresent then return ${partnerStates.reconnecting} end
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
 * ARGV: grace period in ms, when the replicas were found dead (ms), then their ids. `evictDead` reads them itself, and
 * passes the grace period to `leave`.
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
    redis.call('ZADD', deadlines, 'NX', now() + graceMs, toDeadline(session, user))
  end
end
return nil
`);

/** Postpones a deadline if it exists. ARGV: session, user, ms from now. */
export const postponeScript = new RedisScript<null>(
  `${presenceLua}
local session, user, delayMs = unpack(ARGV)
redis.call('ZADD', deadlines, 'XX', now() + delayMs, toDeadline(session, user))
return nil
`,
  { allowOom: true },
);

/** Deletes the presence data of a chat that has ended. ARGV: session, then its users. */
export const forgetScript = new RedisScript<null>(
  `${presenceLua}
local session = ARGV[1]
redis.call('DEL', prefix .. 'sockets:' .. session, awayKey(session))
for i = 2, #ARGV do redis.call('ZREM', deadlines, toDeadline(session, ARGV[i])) end
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
