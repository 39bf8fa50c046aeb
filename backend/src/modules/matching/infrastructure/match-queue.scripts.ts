import type { Gender, Preference } from '@thaw/contract/scalars';
import { limits } from '@thaw/contract/limits';
import { socketDirectoryLua } from '../../../platform/realtime/socket-directory.scripts';
import { RedisScript } from '../../../platform/redis/redis-script.model';

/** Users read per ZRANGE, and pages read per queue before an attempt gives up. */
const PAGE_SIZE = 32;
const MAX_PAGES = 8;

/**
 * Helpers prepended to every script below. KEYS of the scripts: replicas. The topics of the socket directory are users
 * who are searching or claimed; its members are the replicas that hold their sockets. A user's record is a hash:
 *   state              searching | claimed | chatting
 *   gender preference  as given when joining
 *   since              when the user joined (ms), which is their place in the queue
 *   session partner    while claimed or chatting
 *   claimedAt          when the match was made (ms)
 *   left               the user left while claimed
 * A searching user without a live replica is parked: removed from the queue; the record is kept for a while.
 */
const common = `${socketDirectoryLua}
local now = now()

local function keyOf(user) return P .. 'user:' .. user end
local function queueOf(gender, preference) return P .. 'queue:' .. gender .. ':' .. preference end

local function load(user)
  local f = redis.call('HMGET', keyOf(user), 'state', 'gender', 'preference', 'since', 'session', 'partner',
    'claimedAt', 'left')
  if not f[1] then return nil end
  return {state = f[1], gender = f[2], preference = f[3], since = tonumber(f[4]), session = f[5], partner = f[6],
    claimedAt = tonumber(f[7] or '0'), left = f[8]}
end

local function hasLiveReplica(user)
  for _, replica in ipairs(directory.members(user)) do
    local expiresAt = redis.call('ZSCORE', P .. 'leases', replica)
    if expiresAt and tonumber(expiresAt) > now then return true end
  end
  return false
end

local function enqueue(user, record)
  redis.call('PERSIST', keyOf(user))
  redis.call('ZADD', queueOf(record.gender, record.preference), record.since, user)
end

local function park(user, record)
  if redis.call('ZREM', queueOf(record.gender, record.preference), user) == 0 then return end
  redis.call('PEXPIRE', keyOf(user), ${limits.queuePlaceKeptMs})
end

local function depart(user, member, replica)
  if not directory.leave(user, member, replica) then return end
  local record = load(user)
  if record and record.state == 'searching' and not hasLiveReplica(user) then park(user, record) end
end

local function remove(user)
  redis.call('DEL', keyOf(user))
  directory.forget(user)
end

local function pairKey(name, a, b)
  if tonumber(a) < tonumber(b) then return P .. name .. ':' .. a .. '-' .. b end
  return P .. name .. ':' .. b .. '-' .. a
end
local function coolDownKey(a, b) return pairKey('cool-down', a, b) end

local function claim(user, record, partner, session)
  redis.call('ZREM', queueOf(record.gender, record.preference), user)
  redis.call('HSET', keyOf(user), 'state', 'claimed', 'session', session, 'partner', partner,
    'claimedAt', now)
  redis.call('HDEL', keyOf(user), 'left')
end

-- Finds the longest-waiting user who is compatible both ways; one under a cool-down with the user only as a fallback.
-- Returns the partner or nil, and retryAt: when the first cool-down that blocked a candidate may be ignored.
-- Also removes stale entries and parks users without a live replica.
local function findPartner(user, record, excluded, ignoreCoolDownAfterMs)
  local genders = record.preference == 'both' and {'male', 'female'} or {record.preference}
  local best, bestSince, fallback, fallbackSince, retryAt
  for _, gender in ipairs(genders) do
    for _, preference in ipairs({'both', record.gender}) do
      local set = queueOf(gender, preference)
      local gone, isDone = {}, false
      for page = 0, ${MAX_PAGES - 1} do
        if isDone then break end
        local waiting = redis.call('ZRANGE', set, page * ${PAGE_SIZE}, page * ${PAGE_SIZE} + ${PAGE_SIZE - 1}, 'WITHSCORES')
        if #waiting < ${PAGE_SIZE * 2} then isDone = true end
        for i = 1, #waiting, 2 do
          local other, since = waiting[i], tonumber(waiting[i + 1])
          if bestSince and since >= bestSince then isDone = true break end
          if other ~= user and not excluded[other] then
            local theirs = load(other)
            if not theirs or theirs.state ~= 'searching' or queueOf(theirs.gender, theirs.preference) ~= set then
              gone[#gone + 1] = {other, nil}
            else
              local isCooling = redis.call('EXISTS', coolDownKey(user, other)) == 1
              local coolDownEndsAt = math.min(since, record.since) + ignoreCoolDownAfterMs
              if isCooling and coolDownEndsAt > now then
                if not retryAt or coolDownEndsAt < retryAt then retryAt = coolDownEndsAt end
              elseif not hasLiveReplica(other) then
                gone[#gone + 1] = {other, theirs}
              elseif isCooling then
                if not fallbackSince or since < fallbackSince then fallback, fallbackSince = other, since end
              else
                best, bestSince, isDone = other, since, true
                break
              end
            end
          end
        end
      end
      for _, entry in ipairs(gone) do
        if entry[2] then park(entry[1], entry[2]) else redis.call('ZREM', set, entry[1]) end
      end
    end
  end
  return best or fallback, retryAt
end

-- Matches a user who is searching and in a queue, or replies that they are still searching.
local function attempt(user, record, excluded, session, claimMs, ignoreCoolDownAfterMs)
  local partner, retryAt = findPartner(user, record, excluded, ignoreCoolDownAfterMs)
  if not partner then
    return {'searching', record.gender, record.preference, tostring(record.since), retryAt and tostring(retryAt - now) or ''}
  end
  claim(user, record, partner, session)
  claim(partner, load(partner), user, session)
  redis.call('ZADD', P .. 'claims', now + claimMs, session .. '|' .. user .. '|' .. partner)
  return {'matched', record.gender, record.preference, session, partner}
end

-- Returns overdue members of a sorted set by time and postpones them: a member that cannot be settled now must not
-- block the others, and only one replica at a time settles it.
local DUE_AT_ONCE = 16
local function takeDue(key, againInMs)
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, DUE_AT_ONCE)
  for _, member in ipairs(due) do redis.call('ZADD', key, now + againInMs, member) end
  return due
end

local function removePair(key, session, a, b)
  redis.call('ZREM', key, session .. '|' .. a .. '|' .. b, session .. '|' .. b .. '|' .. a)
end

local function excludedFrom(first)
  local excluded = {}
  for i = first, #ARGV do excluded[ARGV[i]] = true end
  return excluded
end
`;

/**
 * Every reply but `idle` has the user's gender and preference after the outcome. `retryInMs` is '' unless a candidate
 * was skipped because of a cool-down.
 */
export type JoinReply =
  | ['searching', gender: Gender, preference: Preference, since: string, retryInMs: string]
  | ['matched', gender: Gender, preference: Preference, sessionId: string, partnerId: string]
  | ['claimed' | 'chatting', gender: Gender, preference: Preference, sessionId: string]
  | ['idle'];

/**
 * ARGV: user, replica, replica, session id for a match, claim ms, ms after which a cool-down is ignored, gender,
 * preference, then the ids that are never matched with the user. A searching user keeps their place, with the new
 * preference; joining again while claimed cancels an earlier leave.
 */
export const joinScript = new RedisScript<JoinReply>(`${common}
local user, gender, preference = ARGV[1], ARGV[7], ARGV[8]
local record = load(user)
if record and record.state ~= 'searching' then
  if record.state == 'claimed' then redis.call('HDEL', keyOf(user), 'left') end
  return {record.state, record.gender, record.preference, record.session}
end
local since = now
if record then
  since = record.since
  redis.call('ZREM', queueOf(record.gender, record.preference), user)
  redis.call('PERSIST', keyOf(user))
end
record = {state = 'searching', gender = gender, preference = preference, since = since}
redis.call('HSET', keyOf(user), 'state', 'searching', 'gender', gender, 'preference', preference,
  'since', since)
redis.call('ZADD', queueOf(gender, preference), since, user)
directory.join(user, ARGV[2], ARGV[3], '')
return attempt(user, record, excludedFrom(9), ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]))
`);

/**
 * A socket of the user is on this replica: returns the user's state. A searching user is queued again, and matching is
 * retried.
 * ARGV: user, replica, replica; then, only if matching is to be retried: session id for a match, claim ms, ms after
 * which a cool-down is ignored, excluded ids.
 */
export const resumeScript = new RedisScript<JoinReply>(`${common}
local user = ARGV[1]
local record = load(user)
if not record then return {'idle'} end
if record.state ~= 'chatting' then directory.join(user, ARGV[2], ARGV[3], '') end
if record.state ~= 'searching' then return {record.state, record.gender, record.preference, record.session} end
enqueue(user, record)
if not ARGV[4] then return {'searching', record.gender, record.preference, tostring(record.since), ''} end
return attempt(user, record, excludedFrom(7), ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]))
`);

/** The user's last socket on this replica has closed. ARGV: user, replica, replica. */
export const departScript = new RedisScript<null>(
  `${common}
depart(ARGV[1], ARGV[2], ARGV[3])
return nil
`,
  { allowOom: true },
);

/** ARGV: unused, then the dead replicas. Returns whether more are to be evicted. */
export const sweepScript = new RedisScript<[more: 0 | 1]>(
  `${common}
return {directory.evict(depart, deadReplicas(2))}
`,
  { allowOom: true },
);

export type LeaveReply =
  [outcome: 'left' | 'idle'] | [outcome: 'claimed' | 'chatting', sessionId: string, msSinceMatch: number];

/** ARGV: user. Leaving while claimed is recorded; the replica that confirms the match then ends the chat. */
export const leaveQueueScript = new RedisScript<LeaveReply>(`${common}
local record = load(ARGV[1])
if not record then return {'idle'} end
if record.state == 'searching' then
  redis.call('ZREM', queueOf(record.gender, record.preference), ARGV[1])
  remove(ARGV[1])
  return {'left'}
end
if record.state == 'claimed' then redis.call('HSET', keyOf(ARGV[1]), 'left', '1') end
return {record.state, record.session, now - record.claimedAt}
`);

/**
 * Confirms a claim after its chat has been created. ARGV: session, the two users, ms until the chat is checked.
 * Returns 'ok' and the users who left meanwhile, or 'lost' when the claim had been released.
 */
export const confirmScript = new RedisScript<['ok', ...string[]] | ['lost']>(`${common}
local session = ARGV[1]
local reply = {'ok'}
for i = 2, 3 do
  local record = load(ARGV[i])
  if not record or record.session ~= session or record.state == 'searching' then return {'lost'} end
end
for i = 2, 3 do
  local record = load(ARGV[i])
  if record.left then reply[#reply + 1] = ARGV[i] end
  redis.call('HSET', keyOf(ARGV[i]), 'state', 'chatting')
  redis.call('HDEL', keyOf(ARGV[i]), 'left')
  redis.call('PERSIST', keyOf(ARGV[i]))
  directory.forget(ARGV[i])
end
removePair(P .. 'claims', session, ARGV[2], ARGV[3])
redis.call('ZADD', P .. 'chats', now + ARGV[4], session .. '|' .. ARGV[2] .. '|' .. ARGV[3])
return reply
`);

/** Expired claims, as `<session>|<user>|<user>`. ARGV: ms after which they are overdue again. */
export const overdueClaimsScript = new RedisScript<string[]>(`${common}
return takeDue(P .. 'claims', tonumber(ARGV[1]))
`);

/** Chats that have not been checked for a while, in the same format. ARGV: ms until the next check. */
export const chatsDueForCheckScript = new RedisScript<string[]>(`${common}
return takeDue(P .. 'chats', tonumber(ARGV[1]))
`);

/**
 * Releases a claim whose chat was never started: users who have not left return to their old places in the queue.
 * ARGV: session, the two users. Returns the users who are searching again.
 */
export const releaseClaimScript = new RedisScript<string[]>(`${common}
local session = ARGV[1]
local waiting = {}
for i = 2, 3 do
  local user = ARGV[i]
  local record = load(user)
  if record and record.state == 'claimed' and record.session == session then
    if record.left then
      remove(user)
    else
      redis.call('HSET', keyOf(user), 'state', 'searching')
      redis.call('HDEL', keyOf(user), 'session', 'partner', 'claimedAt')
      enqueue(user, record)
      waiting[#waiting + 1] = user
    end
  end
end
removePair(P .. 'claims', session, ARGV[2], ARGV[3])
return waiting
`);

/**
 * Retries for a user whose last attempt skipped a candidate.
 * ARGV: user, session id for a match, claim ms, ms after which a cool-down is ignored, excluded ids.
 */
export const retryScript = new RedisScript<JoinReply>(`${common}
local record = load(ARGV[1])
if not record then return {'idle'} end
if record.state ~= 'searching' then return {record.state, record.gender, record.preference, record.session} end
if not hasLiveReplica(ARGV[1]) then
  park(ARGV[1], record)
  return {'idle'}
end
enqueue(ARGV[1], record)
return attempt(ARGV[1], record, excludedFrom(5), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]))
`);

/** Bridges the time until the worker has written the chat to the history, even after an outage of some minutes. */
const RECENT_PARTNER_TTL_MS = 600_000;

/**
 * Frees the users of an ended chat, starts their cool-down, and records them as recent partners.
 * ARGV: session, cool-down ms, the two users.
 */
export const finishScript = new RedisScript<null>(
  `${common}
removePair(P .. 'chats', ARGV[1], ARGV[3], ARGV[4])
for i = 3, 4 do
  local record = load(ARGV[i])
  if record and record.session == ARGV[1] and record.state ~= 'searching' then remove(ARGV[i]) end
end
if tonumber(ARGV[2]) > 0 then redis.call('SET', coolDownKey(ARGV[3], ARGV[4]), '1', 'PX', ARGV[2]) end
redis.call('SET', pairKey('recent-partners', ARGV[3], ARGV[4]), '1', 'PX', ${RECENT_PARTNER_TTL_MS})
return nil
`,
  { allowOom: true },
);
