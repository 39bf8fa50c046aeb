import { limits } from '@thaw/contract/limits';
import { socketDirectoryLua } from '../../../platform/realtime/socket-directory.scripts';

/** Values of the key that keeps two users apart: a cool-down after their last chat, or a block by one of them. */
export const COOLING = '1';
export const BLOCKED = 'x';

/** Number of users read per ZRANGE. */
const PAGE_SIZE = 32;
/**
 * Maximum number of pages that an attempt to match a user reads per queue, in addition to the pages that the excluded
 * users may fill. A user who finds no partner on these pages stays in the queue.
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
  return prefix .. 'queue:' .. (pool == '' and '' or pool .. ':') .. gender .. ':' .. preference
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

-- Records that a replica holds sockets of the user. The empty text is the note of the member, which is not used here.
local function arrive(user, member, replica) directory.join(user, member, replica, '') end

-- Records that a replica no longer holds sockets of the user. Also called by directory.evict with topic, member and
-- replica. The topic is the user, and member and replica are the same id.
local function depart(user, member, replica)
  if not directory.leave(user, member, replica) then return end
  local record = loadRecord(user)
  if record and record.state == 'searching' and not hasLiveReplica(user) then park(user, record) end
end

local function pairKey(name, a, b)
  if tonumber(a) < tonumber(b) then return prefix .. name .. ':' .. a .. '-' .. b end
  return prefix .. name .. ':' .. b .. '-' .. a
end
-- The key that keeps two users apart. Its value is '${COOLING}' (cool-down after a chat) or '${BLOCKED}' (block).
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

-- Finds the longest-waiting compatible user. A recent partner, with a cool-down, is skipped until one of the two has
-- waited for ignoreCoolDownAfterMs, and after that is chosen only if there is no other user. Users kept apart by a
-- block are always skipped.
-- Returns the partner or nil, and retryAt: the earliest time at which a skipped recent partner may be chosen, or nil.
-- Also removes stale entries (of users who have left this queue), and parks users without a live replica.
local function findPartner(user, record, excluded, excludedCount, ignoreCoolDownAfterMs)
  local pages = ${MAX_PAGES} + math.ceil(excludedCount / ${PAGE_SIZE})
  local best, bestSince, fallback, fallbackSince, retryAt
  for _, queue in ipairs(compatibleQueues(record)) do
    local stale, disconnected = {}, {}
    scanQueue(queue, pages, function(other, since)
      if bestSince and since >= bestSince then return true end
      if other == user or excluded[other] then return false end
      local otherRecord = loadRecord(other)
      if not otherRecord or otherRecord.state ~= 'searching' or queueOf(otherRecord) ~= queue then
        stale[#stale + 1] = other
        return false
      end
      local separation = redis.call('GET', separationKey(user, other))
      if separation == '${BLOCKED}' then return false end
      local isCooling = separation ~= false
      local coolDownIgnoredAt = math.min(since, record.since) + ignoreCoolDownAfterMs
      if isCooling and coolDownIgnoredAt > nowMs then
        if not retryAt or coolDownIgnoredAt < retryAt then retryAt = coolDownIgnoredAt end
      elseif not hasLiveReplica(other) then
        disconnected[#disconnected + 1] = {user = other, record = otherRecord}
      elseif isCooling then
        if not fallbackSince or since < fallbackSince then fallback, fallbackSince = other, since end
      else
        best, bestSince = other, since
        return true
      end
      return false
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

-- Matches a user who is searching and in a queue, or replies that they are still searching.
-- session: id of the chat session if a match is made. firstExcluded: index of the first excluded user in ARGV, whose
-- last arguments are the excluded users.
local function attemptMatch(user, record, session, claimMs, ignoreCoolDownAfterMs, firstExcluded)
  local excluded = {}
  for i = firstExcluded, #ARGV do excluded[ARGV[i]] = true end
  local excludedCount = math.max(0, #ARGV - firstExcluded + 1)
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

-- Returns the overdue members of a sorted set, whose scores are deadlines, and postpones them: a member that cannot be
-- settled now must not block the others, and only one replica at a time settles it.
local function takeDue(key, againInMs)
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', nowMs, 'LIMIT', 0, ${MAX_DUE_PER_CALL})
  for _, member in ipairs(due) do redis.call('ZADD', key, nowMs + againInMs, member) end
  return due
end

-- Removes a match from the set of claims or of chats, whichever of its users was written first.
local function removeMatch(key, session, a, b)
  redis.call('ZREM', key, session .. '|' .. a .. '|' .. b, session .. '|' .. b .. '|' .. a)
end
`;
