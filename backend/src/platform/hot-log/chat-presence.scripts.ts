import { socketDirectoryLua } from '../realtime/socket-directory.scripts';
import { RedisScript } from '../redis/redis-script.model';
import { publishToReplicasLua } from './publish-to-replicas.scripts';

/**
 * Lua functions of the scripts below. `P` (the prefix of the keys), `directory`, `now` and `evictDead` come from
 * `socketDirectoryLua`. KEYS of each script: the `replicas` key of the chat's shard.
 *
 * In this directory a topic is a chat, its members are sockets, and the note of a socket is
 * `<user>|<1 if the socket shows the chat, else 0>`. Only sockets that show the chat make their user present. An absent
 * user has a deadline (`<session>|<user>`): the chat ends unless the user returns before it. The set `away` holds the
 * absent users who were present earlier.
 */
const presenceLua = `${socketDirectoryLua}${publishToReplicasLua}
-- One hour, which is longer than any grace period.
local AWAY_KEPT_MS = 3600000
local deadlines = P .. 'deadlines'
local function isPresent(session, user)
  local note = '|' .. user .. '|1'
  for _, value in ipairs(redis.call('HVALS', P .. 'sockets:' .. session)) do
    if string.sub(value, -#note) == note then return true end
  end
  return false
end
local function publishConnection(session, user, state)
  publish(P, session, '', 'connection ' .. user .. ' ' .. state)
end
-- Call this when the user has joined or returned.
local function stopGrace(session, user)
  redis.call('SREM', P .. 'away:' .. session, user)
  if redis.call('ZREM', deadlines, session .. '|' .. user) == 1 then publishConnection(session, user, 'connected') end
end
-- Call this when the user is no longer present.
local function startGrace(session, user, graceMs)
  if redis.call('ZADD', deadlines, 'NX', now() + graceMs, session .. '|' .. user) == 0 then return end
  redis.call('SADD', P .. 'away:' .. session, user)
  redis.call('PEXPIRE', P .. 'away:' .. session, AWAY_KEPT_MS)
  publishConnection(session, user, 'reconnecting')
end
-- A negative graceMs means that the chat has ended.
local function leave(session, socket, replica, graceMs)
  local note = directory.leave(session, socket, replica)
  if not note or graceMs < 0 then return end
  local user = string.match(note, '^[^|]+')
  if not isPresent(session, user) then startGrace(session, user, graceMs) end
end
`;

/** The replies of `joinScript`. */
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
if isPresent(session, partner) or not redis.call('ZSCORE', deadlines, session .. '|' .. partner) then return 1 end
return redis.call('SISMEMBER', P .. 'away:' .. session, partner) == 1 and -1 or 0
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
 * handle, so they do not hide the others.
 */
const MAX_OVERDUE_PER_SWEEP = 32;

/**
 * Evicts the sockets of dead replicas.
 * ARGV: grace period in ms, the time at which the replicas were found dead (ms), then their ids.
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
redis.call('DEL', P .. 'sockets:' .. session, P .. 'away:' .. session)
for i = 2, #ARGV do redis.call('ZREM', deadlines, session .. '|' .. ARGV[i]) end
return nil
`,
  { allowOom: true },
);

/** Publishes a message to every replica that holds a socket of the session. ARGV: session, message. */
export const publishScript = new RedisScript<null>(`${publishToReplicasLua}
local session, message = unpack(ARGV)
publish(string.match(KEYS[1], '^{[^}]+}:'), session, '', message)
return nil
`);
