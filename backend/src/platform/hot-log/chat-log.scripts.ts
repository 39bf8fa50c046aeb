import { RedisScript } from '../redis/redis-script.model';
import { isOutboxFullLua } from './outbox.scripts';
import { publishToReplicasLua } from './publish-to-replicas.scripts';

/**
 * The first element of the reply to an append: its outcome. `behind`: the stream does not end as the caller expects;
 * `missed` are its entries after the expected end.
 */
export const appendOutcome = { appended: 1, behind: 0, outboxFull: -1, notOverdue: -2 } as const;

export type AppendReply =
  | [typeof appendOutcome.appended, outboxWasEmpty: 0 | 1, ...ids: string[]]
  | [typeof appendOutcome.behind, length: number, missed: [id: string, fields: string[]][]]
  | [typeof appendOutcome.outboxFull | typeof appendOutcome.notOverdue];

/**
 * Builds the script that appends events. It contains no rule of the product: it compares the end of the stream with the
 * end that the caller expects, adds the events to the stream and to the outbox (the events of the shard that are not in
 * PostgreSQL yet), and publishes them.
 *
 * KEYS: stream, outbox. ARGV:
 * - the expected length of the stream
 * - the expected id of its last entry ('' for an empty stream)
 * - the session id
 * - the member of `deadlines` that must be overdue and is then removed: `<session>|<user>` ('' for none)
 * - the replica to which nothing is published ('' for none)
 * - the events, one argument each
 *
 * @param whenOutboxIsFull the Lua statement to run when the outbox is full.
 */
const buildAppendLua = (whenOutboxIsFull: string): string => `${publishToReplicasLua}${isOutboxFullLua}
local stream, outbox = KEYS[1], KEYS[2]
local expectedLength, expectedLastId, session, deadline, exceptReplica = unpack(ARGV, 1, 5)
-- The prefix of all keys of the shard, such as {shard7}:
local prefix = string.match(stream, '^{[^}]+}:')
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local length = redis.call('XLEN', stream)
if (last and last[1] or '') ~= expectedLastId or length ~= tonumber(expectedLength) then
  -- The bracket excludes the entry with this id.
  local startOfMissed = expectedLastId == '' and '-' or ('(' .. expectedLastId)
  local missed = redis.call('XRANGE', stream, startOfMissed, '+')
  return {${appendOutcome.behind}, length, missed}
end
local queued = redis.call('XLEN', outbox)
if isOutboxFull(outbox, queued) then ${whenOutboxIsFull} end
if deadline ~= '' then
  local dueMs = redis.call('ZSCORE', prefix .. 'deadlines', deadline)
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  if not dueMs or tonumber(dueMs) > nowMs then return {${appendOutcome.notOverdue}} end
  redis.call('ZREM', prefix .. 'deadlines', deadline)
end
local reply = {${appendOutcome.appended}, queued == 0 and 1 or 0}
for i = 6, #ARGV do
  local event = ARGV[i]
  local id = redis.call('XADD', stream, '*', 'event', event)
  length = length + 1
  redis.call('XADD', outbox, '*', 'session', session, 'entry', id, 'event', event)
  publish(prefix, session, exceptReplica, length .. ' ' .. id .. ' ' .. event)
  reply[#reply + 1] = id
end
return reply
`;

export const appendScript = new RedisScript<AppendReply>(
  buildAppendLua(`return {${appendOutcome.outboxFull}}`),
);
/** Appends the events that end a chat, also to a full outbox and in a full Redis: ended chats free memory. */
export const appendEndScript = new RedisScript<AppendReply>(buildAppendLua(''), { allowOom: true });

/**
 * Appends the tail of a stream again: its last entries, which Redis has lost. They keep their original ids. Appends
 * nothing if the stream no longer ends where the tail began.
 * KEYS: stream, outbox. ARGV: expected length, expected last id ('' for an empty stream), session id, then the id and
 * the event of each entry. Returns whether the tail was appended.
 */
export const restoreScript = new RedisScript<0 | 1>(`
local stream, outbox = KEYS[1], KEYS[2]
local expectedLength, expectedLastId, session = unpack(ARGV, 1, 3)
if redis.call('XLEN', stream) ~= tonumber(expectedLength) then return 0 end
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
if (last and last[1] or '') ~= expectedLastId then return 0 end
for i = 4, #ARGV, 2 do
  local id, event = ARGV[i], ARGV[i + 1]
  redis.call('XADD', stream, id, 'event', event)
  redis.call('XADD', outbox, '*', 'session', session, 'entry', id, 'event', event)
end
return 1
`);
