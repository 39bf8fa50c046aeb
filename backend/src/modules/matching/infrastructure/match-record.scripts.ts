import { limits } from '@thaw/contract/limits';
import { socketDirectoryLua } from '../../../platform/realtime/socket-directory.scripts';

// Values of the separation key, which keeps two users apart: a cool-down after their last chat, or a block.
export const COOLING = '1';
export const BLOCKED = 'x';

/** Number of users read per ZRANGE. */
const PAGE_SIZE = 32;
/**
 * Maximum number of pages that an attempt to match a user reads per queue. The pages that the excluded users may fill
 * are added; they are excluded by a block. A user who finds no partner on these pages stays in the queue.
 */
const MAX_PAGES = 8;
/** Maximum number of overdue claims or chats returned by one call. */
const MAX_DUE_PER_CALL = 16;

/**
 * Lua fragment at the beginning of each script in `match-queue.scripts.ts`. Each script gets one key, that of the
 * sorted set `replicas`. `socketDirectoryLua` derives from it `prefix`, the prefix of all keys of matching.
 *
 * In the socket directory, a topic is a user who is searching or claimed, and its members are the replicas that hold
 * sockets of the user. A user's record is a hash:
 *   state      searching | claimed | chatting
 *              (claimed: matched, but the chat has not been created yet)
 *   gender     the user's gender
 *   preference the gender that the user wants to meet, or `both`
 *   pool       `care` for flagged users, who are matched only with each other; otherwise empty or absent
 *   since      when the user joined (ms), which is their place in the queue
 *   session    id of the chat session, while claimed or chatting
 *   partner    id of the other user, while claimed or chatting
 *   claimedAt  when the match was made (ms)
 *   left       present if the user left while claimed
 *   apart      present if one of the two blocked the other while claimed: the chat must not start
 * There is one queue (sorted set) for each pool, gender and preference, scored by `since`. A replica is live while it
 * renews its lease. A searching user without a live replica is parked: removed from the queue, while the record is kept
 * for some time.
 */
export const matchRecordLua = `${socketDirectoryLua}
local nowMs = now()

local function userKey(user) return prefix .. 'user:' .. user end
local function queueKey(pool, gender, preference)
  local poolPart = ''
  if pool ~= '' then poolPart = pool .. ':' end
  return prefix .. 'queue:' .. poolPart .. gender .. ':' .. preference
end
local function queueOf(record) return queueKey(record.pool, record.gender, record.preference) end

local function loadRecord(user)
  local fields = redis.call('HMGET', userKey(user), 'state', 'gender', 'preference', 'since', 'session', 'partner',
    'claimedAt', 'left', 'apart', 'pool')
  if not fields[1] then return nil end
  -- An absent field is false.
  return {state = fields[1], gender = fields[2], preference = fields[3], since = tonumber(fields[4]),
    session = fields[5], partner = fields[6], claimedAt = tonumber(fields[7] or '0'), left = fields[8],
    apart = fields[9], pool = fields[10] or ''}
end

local function deleteRecord(user)
  redis.call('DEL', userKey(user))
  directory.forget(user)
end

local function hasLiveReplica(user)
  for _, replica in ipairs(directory.members(user)) do
    local leaseExpiresAt = redis.call('ZSCORE', prefix .. 'leases', replica)
    if leaseExpiresAt and tonumber(leaseExpiresAt) > nowMs then return true end
  end
  return false
end

-- Adds a searching user to their queue, at the place of record.since. If the user was parked, their record stops
-- expiring.
local function enqueue(user, record)
  redis.call('PERSIST', userKey(user))
  redis.call('ZADD', queueOf(record), record.since, user)
end

-- Removes a searching user from the queue. Does nothing for a user who is parked already, so that their record keeps
-- its expiry.
local function park(user, record)
  if redis.call('ZREM', queueOf(record), user) == 0 then return end
  redis.call('PEXPIRE', userKey(user), ${limits.queuePlaceRetentionMs})
end

-- Records that a replica holds sockets of the user. Member and replica are the same id.
local function arrive(user, member, replica)
  local note = '' -- not used in matching
  directory.join(user, member, replica, note)
end

-- Records that a replica no longer holds sockets of the user. directory.evict also calls it: its topic is the user.
local function depart(user, member, replica)
  if not directory.leave(user, member, replica) then return end
  local record = loadRecord(user)
  if record and record.state == 'searching' and not hasLiveReplica(user) then park(user, record) end
end

local function pairKey(name, a, b)
  if tonumber(a) < tonumber(b) then return prefix .. name .. ':' .. a .. '-' .. b end
  return prefix .. name .. ':' .. b .. '-' .. a
end
-- The separation key of two users. Its value is '${COOLING}' (cool-down) or '${BLOCKED}' (block).
local function separationKey(a, b) return pairKey('cool-down', a, b) end

-- Records that a searching user is matched with the partner.
local function claim(user, record, partner, session)
  redis.call('ZREM', queueOf(record), user)
  redis.call('HSET', userKey(user), 'state', 'claimed', 'session', session, 'partner', partner, 'claimedAt', nowMs)
  redis.call('HDEL', userKey(user), 'left', 'apart')
end

-- Calls visit(other, since) for each user on the first pages of a queue, longest-waiting first, until it returns true.
local function scanQueue(queue, pages, visit)
  for page = 0, pages - 1 do
    local first = page * ${PAGE_SIZE}
    local waiting = redis.call('ZRANGE', queue, first, first + ${PAGE_SIZE - 1}, 'WITHSCORES')
    for i = 1, #waiting, 2 do
      if visit(waiting[i], tonumber(waiting[i + 1])) then return end
    end
    if #waiting < ${PAGE_SIZE} * 2 then return end
  end
end

-- Returns the queues of all users of the same pool who are compatible both ways.
local function compatibleQueues(record)
  local genders = record.preference == 'both' and {'male', 'female'} or {record.preference}
  local queues = {}
  for _, gender in ipairs(genders) do
    queues[#queues + 1] = queueKey(record.pool, gender, 'both')
    queues[#queues + 1] = queueKey(record.pool, gender, record.gender)
  end
  return queues
end

-- Returns what a user in a queue is to a searching user, and the record of the other user if disconnected:
--   stale         the entry is out of date: the other user has left this queue
--   blocked       one of the two has blocked the other
--   cooling       a recent partner, whom the search must skip until coolDownIgnoredAt
--   disconnected  has no live replica
--   fallback      a recent partner, who is chosen only if no other user is free
--   free
local function classifyCandidate(user, other, queue, coolDownIgnoredAt)
  local otherRecord = loadRecord(other)
  if not otherRecord or otherRecord.state ~= 'searching' or queueOf(otherRecord) ~= queue then return 'stale' end
  local separation = redis.call('GET', separationKey(user, other))
  if separation == '${BLOCKED}' then return 'blocked' end
  local isRecentPartner = separation ~= false
  if isRecentPartner and coolDownIgnoredAt > nowMs then return 'cooling' end
  if not hasLiveReplica(other) then return 'disconnected', otherRecord end
  if isRecentPartner then return 'fallback' end
  return 'free'
end

-- Finds the longest-waiting compatible user. A cool-down is ignored once one of the two has waited for
-- ignoreCoolDownAfterMs.
-- Returns the partner or nil, and retryAt: the earliest time at which a cooling user may be chosen, or nil.
-- Also removes stale entries, and parks disconnected users.
local function findPartner(user, record, excluded, excludedCount, ignoreCoolDownAfterMs)
  local pages = ${MAX_PAGES} + math.ceil(excludedCount / ${PAGE_SIZE})
  local best, bestSince, fallback, fallbackSince, retryAt
  for _, queue in ipairs(compatibleQueues(record)) do
    local stale, disconnected = {}, {}
    scanQueue(queue, pages, function(other, since)
      -- A user of another queue has waited longer than all who follow.
      if bestSince and since >= bestSince then return true end
      if other == user or excluded[other] then return false end
      local coolDownIgnoredAt = math.min(since, record.since) + ignoreCoolDownAfterMs
      local kind, otherRecord = classifyCandidate(user, other, queue, coolDownIgnoredAt)
      if kind == 'stale' then
        stale[#stale + 1] = other
      elseif kind == 'disconnected' then
        disconnected[#disconnected + 1] = {user = other, record = otherRecord}
      elseif kind == 'cooling' then
        if not retryAt or coolDownIgnoredAt < retryAt then retryAt = coolDownIgnoredAt end
      elseif kind == 'fallback' then
        if not fallbackSince or since < fallbackSince then fallback, fallbackSince = other, since end
      elseif kind == 'free' then
        best, bestSince = other, since
      end
      return kind == 'free'
    end)
    -- Removed after the scan, because removing entries would shift the following pages.
    for _, other in ipairs(stale) do redis.call('ZREM', queue, other) end
    for _, other in ipairs(disconnected) do park(other.user, other.record) end
  end
  return best or fallback, retryAt
end

local function searchingReply(record, retryInMs)
  return {'searching', record.gender, record.preference, record.pool, tostring(record.since), retryInMs}
end

local function claimedOrChattingReply(record)
  return {record.state, record.gender, record.preference, record.pool, record.session}
end

-- Matches a queued user with a partner. Without a partner, replies that the user is still searching.
-- session: id of the chat session if a match is made. firstExcluded: index in ARGV from which all are excluded users.
local function attemptMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
  local excluded, excludedCount = {}, 0
  for i = firstExcluded, #ARGV do
    excluded[ARGV[i]] = true
    excludedCount = excludedCount + 1
  end
  local partner, retryAt = findPartner(user, record, excluded, excludedCount, tonumber(ignoreCoolDownAfterMs))
  if not partner then return searchingReply(record, retryAt and tostring(retryAt - nowMs) or '') end
  claim(user, record, partner, session)
  claim(partner, loadRecord(partner), user, session)
  redis.call('ZADD', prefix .. 'claims', nowMs + tonumber(claimMs), session .. '|' .. user .. '|' .. partner)
  return {'matched', record.gender, record.preference, record.pool, session, partner}
end

-- Retries matching for a user with a record. The parameters are those of attemptMatch.
local function retryMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
  if record.state ~= 'searching' then return claimedOrChattingReply(record) end
  -- A user without a socket must not be matched. To callers, a parked user is idle.
  if not hasLiveReplica(user) then
    park(user, record)
    return {'idle'}
  end
  enqueue(user, record)
  return attemptMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
end

-- Returns overdue members of a sorted set, whose scores are deadlines. Also postpones them, so that no other replica
-- handles them at the same time, and a member that cannot be handled now does not block the others.
local function takeDue(key, againInMs)
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', nowMs, 'LIMIT', 0, ${MAX_DUE_PER_CALL})
  for _, member in ipairs(due) do redis.call('ZADD', key, nowMs + againInMs, member) end
  return due
end

-- Removes a match from the set of claims or of chats, in which either user may come first.
local function removeMatch(key, session, a, b)
  redis.call('ZREM', key, session .. '|' .. a .. '|' .. b, session .. '|' .. b .. '|' .. a)
end
`;
