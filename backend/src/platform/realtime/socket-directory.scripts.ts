import { luaClock } from '../redis/redis-clock.scripts';

/**
 * Lua fragment for all scripts of a socket directory. A directory records the members (sockets, or replicas) of each
 * topic (a chat, or a user), and the replica that holds each member. All keys share the hash tag of KEYS[1], so that
 * one script can change them atomically:
 *   sockets:<topic>     hash, member → `<replica>|<note>`
 *   replica:<replica>   set of `<topic>|<member>`
 *   replicas            sorted set of replicas by the time of their last `join` or comparison with their own records
 * A note is free text that the caller stores with the member.
 */
export const socketDirectoryLua = `${luaClock}
-- Prefix of all keys: the hash tag and a colon.
local P = string.match(KEYS[1], '^{[^}]+}:')
local directory = {}

function directory.join(topic, member, replica, note)
  redis.call('HSET', P .. 'sockets:' .. topic, member, replica .. '|' .. note)
  redis.call('SADD', P .. 'replica:' .. replica, topic .. '|' .. member)
  redis.call('ZADD', P .. 'replicas', now(), replica)
end

-- Returns the note of the member, or nil if it is not recorded.
function directory.leave(topic, member, replica)
  redis.call('SREM', P .. 'replica:' .. replica, topic .. '|' .. member)
  local value = redis.call('HGET', P .. 'sockets:' .. topic, member)
  if not value then return nil end
  redis.call('HDEL', P .. 'sockets:' .. topic, member)
  return string.match(value, '|(.*)$')
end

function directory.members(topic)
  return redis.call('HKEYS', P .. 'sockets:' .. topic)
end

-- Removes all members of a topic in a directory whose members are replicas.
function directory.forget(topic)
  for _, replica in ipairs(directory.members(topic)) do directory.leave(topic, replica, replica) end
end

function directory.isEmpty(topic)
  return redis.call('EXISTS', P .. 'sockets:' .. topic) == 0
end

-- Calls onLeft(topic, member, replica) for at most MAX_EVICTED_PER_CALL members of dead replicas. Skips a replica that
-- has recorded a member since it was found dead (foundDeadAt, in ms), because it is alive. Returns 1 if more members
-- are to be evicted, else 0.
local MAX_EVICTED_PER_CALL = 1000
function directory.evict(onLeft, foundDeadAt, replicas)
  local remaining = MAX_EVICTED_PER_CALL
  if #replicas == 0 then return 0 end
  for i, joinedAt in ipairs(redis.call('ZMSCORE', P .. 'replicas', unpack(replicas))) do
    if joinedAt and tonumber(joinedAt) < foundDeadAt then
      local membersKey = P .. 'replica:' .. replicas[i]
      for _, entry in ipairs(redis.call('SPOP', membersKey, remaining)) do
        local topic, member = string.match(entry, '^(.-)|(.*)$')
        onLeft(topic, member, replicas[i])
        remaining = remaining - 1
      end
      if remaining <= 0 then return 1 end
      redis.call('ZREM', P .. 'replicas', replicas[i])
    end
  end
  return 0
end

-- Returns the time in ARGV[first], at which replicas were found dead (ms), and the ids of these replicas after it.
local function deadReplicas(first)
  local foundDeadAt, replicas = tonumber(ARGV[first]), {}
  for i = first + 1, #ARGV do replicas[#replicas + 1] = ARGV[i] end
  return foundDeadAt, replicas
end

-- Runs a sweep: calls leave(topic, member, replica, graceMs) for members of dead replicas.
-- ARGV: grace period in ms, then the arguments of deadReplicas.
local function evictDead(leave)
  local graceMs = tonumber(ARGV[1])
  local onLeft = function(topic, member, replica) leave(topic, member, replica, graceMs) end
  return directory.evict(onLeft, deadReplicas(2))
end
`;
