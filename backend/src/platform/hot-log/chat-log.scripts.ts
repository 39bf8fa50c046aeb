import { RedisScript } from '../redis/redis-script.model';
import { isOutboxFullLua } from './outbox.scripts';
import { publishToReplicasLua } from './publish-to-replicas.scripts';

/** First element of an append's reply. */
export const appendOutcome = { appended: 1, behind: 0, outboxFull: -2, notOverdue: -3 } as const;

export type AppendReply =
  | [typeof appendOutcome.appended, outboxWasEmpty: 0 | 1, ...ids: string[]]
  | [typeof appendOutcome.behind, length: number, missed: [id: string, fields: string[]][]]
  | [typeof appendOutcome.outboxFull | typeof appendOutcome.notOverdue];

/**
 * The generic append, which contains no rule of the product: it compares the end of the stream with the one that the
 * caller expects, adds the events to the stream and to the shard's outbox, and publishes them.
 *
 * KEYS: stream, outbox. ARGV: expected length, expected last id, session id, a member of the deadlines that must be overdue
 * ('' for none), the replica to which nothing is published, then the events.
 */
const append = (whenOutboxIsFull: string): string => `${publishToReplicasLua}${isOutboxFullLua}
local prefix, session, deadline = string.match(KEYS[1], '^{[^}]+}:'), ARGV[3], ARGV[4]
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local length = redis.call('XLEN', KEYS[1])
if (last and last[1] or '') ~= ARGV[2] or length ~= tonumber(ARGV[1]) then
  local missed = redis.call('XRANGE', KEYS[1], ARGV[2] == '' and '-' or '(' .. ARGV[2], '+')
  return {0, length, missed}
end
local outbox = KEYS[2]
local queued = redis.call('XLEN', outbox)
if isOutboxFull(outbox, queued) then ${whenOutboxIsFull} end
if deadline ~= '' then
  local dueMs = redis.call('ZSCORE', prefix .. 'deadlines', deadline)
  local time = redis.call('TIME')
  if not dueMs or tonumber(dueMs) > time[1] * 1000 + math.floor(time[2] / 1000) then return {-3} end
  redis.call('ZREM', prefix .. 'deadlines', deadline)
end
local reply = {1, queued == 0 and 1 or 0}
for i = 6, #ARGV do
  local id = redis.call('XADD', KEYS[1], '*', 'event', ARGV[i])
  length = length + 1
  redis.call('XADD', outbox, '*', 'session', session, 'entry', id, 'event', ARGV[i])
  publish(prefix, session, ARGV[5], length .. ' ' .. id .. ' ' .. ARGV[i])
  reply[#reply + 1] = id
end
return reply
`;

export const appendScript = new RedisScript<AppendReply>(append('return {-2}'));
/** The append for the end of a chat. It also works with a full outbox and a full Redis, because it frees memory. */
export const appendEndScript = new RedisScript<AppendReply>(append(''), { allowOom: true });

/**
 * Appends a lost tail again, with its original ids, if the stream still ends where the tail began.
 * KEYS: stream, outbox. ARGV: length, last id ('' if the stream is empty), session id, then id and event of each entry.
 */
export const restoreScript = new RedisScript<0 | 1>(`
if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if (last and last[1] or '') ~= ARGV[2] then return 0 end
for i = 4, #ARGV, 2 do
  redis.call('XADD', KEYS[1], ARGV[i], 'event', ARGV[i + 1])
  redis.call('XADD', KEYS[2], '*', 'session', ARGV[3], 'entry', ARGV[i], 'event', ARGV[i + 1])
end
return 1
`);
