import { luaClock } from '../redis/redis-clock.scripts';

/**
 * Lua fragment for all scripts of a socket directory. A directory records the members of each topic, and the replica
 * that holds each member. A topic is a chat or a user, and its members are sockets. The match queue is an exception:
 * the members of a user are the replicas with sockets of the user, so the member is the replica itself. All keys share
 * the hash tag of KEYS[1], so that one script can change them atomically:
 *   sockets:<topic>     hash, member → `<replica>|<note>`
 *   replica:<replica>   set of `<topic>|<member>`
 *   replicas            sorted set of replicas, by the last time they recorded a member or compared these records
 *                       with their own members
 * A note is free text that the caller stores with the member.
 */
export const socketDirectoryLua = `${luaClock}
-- Prefix of all keys: the hash tag and a colon.
local prefix = string.match(KEYS[1], '^{[^}]+}:')
local directory = {}

function directory.join(topic, member, replica, note)
  redis.call('HSET', prefix .. 'sockets:' .. topic, member, replica .. '|' .. note)
  redis.call('SADD', prefix .. 'replica:' .. replica, topic .. '|' .. member)
  redis.call('ZADD', prefix .. 'replicas', now(), replica)
end

-- Returns the note of the member, or nil if it is not recorded.
function directory.leave(topic, member, replica)
  redis.call('SREM', prefix .. 'replica:' .. replica, topic .. '|' .. member)
  local value = redis.call('HGET', prefix .. 'sockets:' .. topic, member)
  if not value then return nil end
  redis.call('HDEL', prefix .. 'sockets:' .. topic, member)
  return string.match(value, '|(.*)$')
end

function directory.members(topic)
  return redis.call('HKEYS', prefix .. 'sockets:' .. topic)
end

-- Removes all members of a topic. Only for a directory whose members are replicas.
function directory.forget(topic)
  for _, replica in ipairs(directory.members(topic)) do directory.leave(topic, replica, replica) end
end

function directory.isEmpty(topic)
  return redis.call('EXISTS', prefix .. 'sockets:' .. topic) == 0
end

-- Calls removeMember(topic, member, replica), which has to call directory.leave, for at most MAX_EVICTED_PER_CALL
-- members of dead replicas. Skips a replica whose time in the set replicas is not before foundDeadAt (ms), because it
-- is alive. Returns 1 if more members are to be evicted, else 0.
local MAX_EVICTED_PER_CALL = 1000
function directory.evict(removeMember, foundDeadAt, replicas)
  local remaining = MAX_EVICTED_PER_CALL
  if #replicas == 0 then return 0 end
  for i, lastAliveAt in ipairs(redis.call('ZMSCORE', prefix .. 'replicas', unpack(replicas))) do
    if lastAliveAt and tonumber(lastAliveAt) < foundDeadAt then
      local membersKey = prefix .. 'replica:' .. replicas[i]
      for _, entry in ipairs(redis.call('SPOP', membersKey, remaining)) do
        local topic, member = string.match(entry, '^(.-)|(.*)$')
        removeMember(topic, member, replicas[i])
        remaining = remaining - 1
      end
      if remaining <= 0 then return 1 end
      redis.call('ZREM', prefix .. 'replicas', replicas[i])
    end
  end
  return 0
end

-- Reads two arguments of directory.evict: ARGV[first] is foundDeadAt, and all later elements are the replicas.
local function deadReplicas(first)
  local foundDeadAt, replicas = tonumber(ARGV[first]), {}
  for i = first + 1, #ARGV do replicas[#replicas + 1] = ARGV[i] end
  return foundDeadAt, replicas
end

-- Runs a sweep: calls removeMember(topic, member, replica, graceMs) for members of dead replicas.
-- ARGV: grace period (ms) of a topic that loses a member, then the arguments of deadReplicas.
local function evictDead(removeMember)
  local graceMs = tonumber(ARGV[1])
  local removeWithGrace = function(topic, member, replica) removeMember(topic, member, replica, graceMs) end
  return directory.evict(removeWithGrace, deadReplicas(2))
end
`;
