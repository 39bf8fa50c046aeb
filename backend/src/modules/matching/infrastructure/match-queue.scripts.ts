import type { Gender, Preference } from '@thaw/contract/scalars';
import { RedisScript } from '../../../platform/redis/redis-script.model';
import { BLOCKED, COOLING, matchRecordLua } from './match-record.scripts';

// Lua scripts of the match queue. `matchRecordLua` defines their functions, and the fields of a user's record.
// - A claim is a match whose chat has not been created yet; its two users are claimed.
// - A parked user is searching, but has no socket and is not in a queue.
// - A session is the id of a match's chat session.
// - The match parameters of a script are: the session of a match that it makes, the time in ms until the claim expires,
//   and the time in ms after which a cool-down is ignored.
// - The excluded users, with whom the user must not be matched, are all arguments from the index `firstExcluded` on.

/** Users are matched within their pool only. The common pool is named ''. */
export type PoolName = '' | 'care';

type Criteria = [gender: Gender, preference: Preference, pool: PoolName];

/**
 * `idle`: the user has no record or, in a retry or a change of pool, is parked. Every other reply has the user's
 * criteria after the outcome. `retryInMs` is '' unless a candidate was skipped because of a cool-down.
 */
export type JoinReply =
  | ['searching', ...Criteria, since: string, retryInMs: string]
  | ['matched', ...Criteria, sessionId: string, partnerId: string]
  | ['claimed' | 'chatting', ...Criteria, sessionId: string]
  | ['idle'];

/**
 * Adds a user to the queue. A searching user keeps their place, with the new preference and pool. Joining again while
 * claimed cancels an earlier leave.
 * ARGV: user, member, replica, match parameters, gender, preference, pool, excluded users. `member` and `replica` are
 * both the id of this replica: in the socket directory of matching (see `matchRecordLua`), the members are replicas.
 */
export const joinScript = new RedisScript<JoinReply>(`${matchRecordLua}
local user, member, replica, session, claimMs, ignoreCoolDownAfterMs, gender, preference, pool = unpack(ARGV, 1, 9)
local firstExcluded = 10
local previous = loadRecord(user)
if previous and previous.state ~= 'searching' then
  if previous.state == 'claimed' then redis.call('HDEL', userKey(user), 'left') end
  return claimedOrChattingReply(previous)
end
if previous then redis.call('ZREM', queueOf(previous), user) end
local record = {state = 'searching', gender = gender, preference = preference, pool = pool,
  since = previous and previous.since or nowMs}
redis.call('HSET', userKey(user), 'state', record.state, 'gender', gender, 'preference', preference, 'pool', pool,
  'since', record.since)
enqueue(user, record)
arrive(user, member, replica)
return attemptMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
`);

/**
 * Records that a replica holds sockets of the user, and returns the user's state. Nothing is recorded for a user in a
 * chat, who cannot be matched. A searching user returns to the queue, and matching is retried if there are match
 * parameters. ARGV: user, member and replica as for `joinScript`; optionally match parameters and excluded users.
 */
export const resumeScript = new RedisScript<JoinReply>(`${matchRecordLua}
local user, member, replica, session, claimMs, ignoreCoolDownAfterMs = unpack(ARGV, 1, 6)
local firstExcluded = 7
local record = loadRecord(user)
if not record then return {'idle'} end
if record.state ~= 'chatting' then arrive(user, member, replica) end
if record.state ~= 'searching' then return claimedOrChattingReply(record) end
enqueue(user, record)
if not session then return searchingReply(record, '') end
return attemptMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
`);

/**
 * Records that the user's last socket on this replica has closed. ARGV: user, member and replica as for `joinScript`.
 */
export const departScript = new RedisScript<null>(
  `${matchRecordLua}
local user, member, replica = unpack(ARGV)
depart(user, member, replica)
return nil
`,
  { allowOom: true },
);

/**
 * Evicts dead replicas. Returns 1 if another call has to evict more. ARGV is the same for each sweep script of a socket
 * directory: a grace period in ms, which is not used here; the time in ms at which the replicas were found dead; the
 * ids of these replicas.
 */
export const sweepScript = new RedisScript<[more: 0 | 1]>(
  `${matchRecordLua}
return {directory.evict(depart, deadReplicas(2))}
`,
  { allowOom: true },
);

export type LeaveReply =
  [outcome: 'left' | 'idle'] | [outcome: 'claimed' | 'chatting', sessionId: string, msSinceMatch: number];

/**
 * Ends a user's search. If the user is claimed, the leave is recorded, and the replica that confirms the match ends the
 * chat. ARGV: user.
 */
export const leaveQueueScript = new RedisScript<LeaveReply>(`${matchRecordLua}
local user = ARGV[1]
local record = loadRecord(user)
if not record then return {'idle'} end
if record.state == 'searching' then
  redis.call('ZREM', queueOf(record), user)
  deleteRecord(user)
  return {'left'}
end
if record.state == 'claimed' then redis.call('HSET', userKey(user), 'left', '1') end
return {record.state, record.session, nowMs - record.claimedAt}
`);

/**
 * Confirms a claim after its chat has been created; idempotent. ARGV: session, the two users, ms until the chat is
 * checked. Returns 'ok' and the users who have left since the match, or 'lost' when the claim was released or one user
 * has blocked the other.
 */
export const confirmScript = new RedisScript<['ok', ...string[]] | ['lost']>(`${matchRecordLua}
local session, firstUser, secondUser, checkInMs = unpack(ARGV)
local users = {firstUser, secondUser}
local function isInMatch(record)
  return record and record.session == session and record.state ~= 'searching'
end
local records = {}
for i, user in ipairs(users) do
  local record = loadRecord(user)
  if not isInMatch(record) or record.apart then return {'lost'} end
  records[i] = record
end
local reply = {'ok'}
for i, user in ipairs(users) do
  if records[i].left then reply[#reply + 1] = user end
  redis.call('HSET', userKey(user), 'state', 'chatting')
  redis.call('HDEL', userKey(user), 'left')
  redis.call('PERSIST', userKey(user))
  -- The directory has only searching and claimed users.
  directory.forget(user)
end
removeMatch(prefix .. 'claims', session, users[1], users[2])
redis.call('ZADD', prefix .. 'chats', nowMs + checkInMs, session .. '|' .. users[1] .. '|' .. users[2])
return reply
`);

/**
 * Returns overdue claims, as `<session>|<user>|<user>`. ARGV: ms until each of them is overdue again, unless it is
 * confirmed or released before.
 */
export const takeOverdueClaimsScript = new RedisScript<string[]>(`${matchRecordLua}
local againInMs = tonumber(ARGV[1])
return takeDue(prefix .. 'claims', againInMs)
`);

/**
 * Returns chats that are due for a check, as `<session>|<user>|<user>`. ARGV: ms until each of them is due again,
 * unless it is finished before.
 */
export const takeChatsDueForCheckScript = new RedisScript<string[]>(`${matchRecordLua}
local againInMs = tonumber(ARGV[1])
return takeDue(prefix .. 'chats', againInMs)
`);

/**
 * Releases a claim whose chat was never started: users who have not left return to their old places in the queue.
 * ARGV: session, the two users. Returns the users who are searching again.
 */
export const releaseClaimScript = new RedisScript<string[]>(`${matchRecordLua}
local session, firstUser, secondUser = unpack(ARGV)
local users = {firstUser, secondUser}
local searching = {}
for _, user in ipairs(users) do
  local record = loadRecord(user)
  if record and record.state == 'claimed' and record.session == session then
    if record.left then
      deleteRecord(user)
    else
      redis.call('HSET', userKey(user), 'state', 'searching')
      redis.call('HDEL', userKey(user), 'session', 'partner', 'claimedAt', 'apart')
      enqueue(user, record)
      searching[#searching + 1] = user
    end
  end
end
removeMatch(prefix .. 'claims', session, users[1], users[2])
return searching
`);

/**
 * Retries matching for a searching user. A user without a live replica is parked instead. ARGV: user, match
 * parameters, excluded users.
 */
export const retryScript = new RedisScript<JoinReply>(`${matchRecordLua}
local user, session, claimMs, ignoreCoolDownAfterMs = unpack(ARGV, 1, 4)
local firstExcluded = 5
local record = loadRecord(user)
if not record then return {'idle'} end
return retryMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
`);

/**
 * Moves a user to a pool, where they keep their place by waiting time, and retries matching there. A user who is
 * claimed or parked will return to the queue of the new pool. ARGV: user, match parameters, pool, excluded users.
 */
export const changePoolScript = new RedisScript<JoinReply>(`${matchRecordLua}
local user, session, claimMs, ignoreCoolDownAfterMs, pool = unpack(ARGV, 1, 5)
local firstExcluded = 6
local record = loadRecord(user)
if not record then return {'idle'} end
local wasQueued = redis.call('ZREM', queueOf(record), user) == 1
record.pool = pool
redis.call('HSET', userKey(user), 'pool', pool)
if wasQueued then enqueue(user, record) end
return retryMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
`);

/**
 * How long recent partners are recorded: long enough for the worker to write their chat to PostgreSQL, even after an
 * outage.
 */
export const RECENT_PARTNER_TTL_MS = 600_000;
/**
 * Value of the key `recent-partners` of two users if their chat was ended because one of them stated that they are
 * under 18. It is set before `finishScript` runs.
 */
export const ENDED_FOR_SAFETY = 'removed';

/**
 * Frees the users of an ended chat, starts their cool-down, and records them as recent partners.
 * ARGV: session, cool-down ms, the two users.
 */
export const finishScript = new RedisScript<null>(
  `${matchRecordLua}
local session, coolDownMs, firstUser, secondUser = unpack(ARGV)
local users = {firstUser, secondUser}
removeMatch(prefix .. 'chats', session, users[1], users[2])
for _, user in ipairs(users) do
  local record = loadRecord(user)
  if record and record.session == session and record.state ~= 'searching' then deleteRecord(user) end
end
local key = separationKey(users[1], users[2])
if tonumber(coolDownMs) > 0 and redis.call('GET', key) ~= '${BLOCKED}' then
  redis.call('SET', key, '${COOLING}', 'PX', coolDownMs)
end
local recent = pairKey('recent-partners', users[1], users[2])
if redis.call('GET', recent) ~= '${ENDED_FOR_SAFETY}' then
  redis.call('SET', recent, '1', 'PX', ${RECENT_PARTNER_TTL_MS})
end
return nil
`,
  { allowOom: true },
);

/**
 * How long the key of a block keeps two users apart: an hour. A search reads its list of excluded users again after 30
 * minutes, so the list contains the block before the key expires
 * (docs/decisions/0051-blocks-act-by-a-key-a-list-and-a-check.md).
 */
const SEPARATION_TTL_MS = 3_600_000;

export type SeparateReply = [] | [state: 'claimed' | 'chatting', sessionId: string];

/**
 * Keeps two users apart because one has blocked the other. Returns their current match, if there is one. A claim is
 * marked, so that it cannot be confirmed. ARGV: the two users.
 */
export const separateScript = new RedisScript<SeparateReply>(
  `${matchRecordLua}
local user, other = unpack(ARGV)
redis.call('SET', separationKey(user, other), '${BLOCKED}', 'PX', ${SEPARATION_TTL_MS})
local record = loadRecord(user)
if not record or record.state == 'searching' or record.partner ~= other then return {} end
-- One mark is enough, because confirmScript checks both users.
if record.state == 'claimed' then redis.call('HSET', userKey(user), 'apart', '1') end
return {record.state, record.session}
`,
  { allowOom: true },
);

/** Undoes `separateScript` for future searches. Does not remove a cool-down after a chat. ARGV: the two users. */
export const allowAgainScript = new RedisScript<null>(`${matchRecordLua}
local user, other = unpack(ARGV)
local key = separationKey(user, other)
if redis.call('GET', key) == '${BLOCKED}' then redis.call('DEL', key) end
return nil
`);
