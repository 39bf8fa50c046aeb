import type { Redis } from 'ioredis';
import type { Client } from 'pg';
import { type Fingerprint, computeStoredEventFingerprint } from './fingerprint';

export interface StoredEvent {
  eventId: string;
  fingerprint: Fingerprint;
  /** `<sender id> <client id>`, which identifies a message; absent for other events. */
  messageKey?: string;
}

export interface StoredPrivateMessage {
  id: number;
  senderId: number;
  receiverId: number;
  content: string;
}

/** Work that the worker has not done yet. */
export interface Backlog {
  /** Outbox entries that are not in PostgreSQL yet. */
  outboxEntries: number;
  /** Jobs in BullMQ's lists `wait` and `active`. */
  waitingJobs: number;
}

/** Content of the stores at the end of a run. */
export interface StoredState extends Backlog {
  /** Events of each chat in PostgreSQL, in order, by session id. */
  postgresChats: Map<string, StoredEvent[]>;
  /** Events of each chat that Redis still has, in order, by session id. */
  redisChats: Map<string, StoredEvent[]>;
  privateMessages: StoredPrivateMessage[];
  /** `<lower id>-<higher id>`. */
  friendships: Set<string>;
  deadLetters: number;
  /** The result of `countKeysWithoutExpiry`. */
  keysWithoutExpiry: Record<string, number>;
}

type Data = Record<string, unknown>;

const CHAT_PREFIX = 'chat-';

interface EventInput {
  eventId: string;
  type: string;
  data: Data;
  /** Id of the event's entry in the chat's stream in Redis. */
  entryId: string;
}

const toStoredEvent = ({ eventId, type, data, entryId }: EventInput): StoredEvent => ({
  eventId,
  fingerprint: computeStoredEventFingerprint({ type, data, entryId }),
  ...(type === 'MessageSent' ? { messageKey: `${String(data.senderId)} ${String(data.clientId)}` } : {}),
});

interface EventRow {
  stream_id: string;
  event_id: string;
  type: string;
  data: Data;
  personal: Data | null;
  entry_id: string;
}

/** The data of each event includes its personal fields, as in Redis. PostgreSQL stores them in a separate table. */
const readPostgresChats = async (client: Client): Promise<Map<string, StoredEvent[]>> => {
  const { rows } = await client.query<EventRow>(
    `SELECT e.stream_id, e.event_id, e.type, e.data, p.data AS personal, e.metadata->>'entryId' AS entry_id
     FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
     WHERE e.stream_id LIKE '${CHAT_PREFIX}%' ORDER BY e.stream_id, e.stream_position`,
  );
  const chats = new Map<string, StoredEvent[]>();
  for (const { stream_id: streamId, event_id: eventId, type, data, personal, entry_id: entryId } of rows) {
    const sessionId = streamId.slice(CHAT_PREFIX.length);
    const events = chats.get(sessionId) ?? [];
    events.push(toStoredEvent({ eventId, type, data: { ...data, ...personal }, entryId }));
    chats.set(sessionId, events);
  }
  return chats;
};

const scanAllKeys = async (redis: Redis): Promise<string[]> => {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const [nextCursor, page] = await redis.scan(cursor, 'COUNT', 1_000);
    keys.push(...page);
    cursor = nextCursor;
  } while (cursor !== '0');
  // SCAN may return a key several times.
  return [...new Set(keys)];
};

/** An entry of a chat's stream has a field `event`: JSON with the id (`i`), the type (`t`) and the data (`d`). */
const parseEntry = (key: string, [entryId, fields]: [id: string, fields: string[]]): StoredEvent => {
  const nameIndex = fields.indexOf('event');
  const text = nameIndex === -1 ? undefined : fields[nameIndex + 1]; // names and values alternate
  if (text === undefined) throw new Error(`${key} has an entry without an event`);
  const { i: eventId, t: type, d: data } = JSON.parse(text) as { i: string; t: string; d: Data };
  return toStoredEvent({ eventId, type, data, entryId });
};

const readRedisChats = async (redis: Redis, keys: readonly string[]): Promise<Map<string, StoredEvent[]>> => {
  const chats = new Map<string, StoredEvent[]>();
  for (const key of keys) {
    const sessionId = /^\{shard\d+\}:chat:(.+)$/.exec(key)?.[1];
    if (sessionId === undefined) continue;
    const entries = await redis.xrange(key, '-', '+');
    chats.set(
      sessionId,
      entries.map((entry) => parseEntry(key, entry)),
    );
  }
  return chats;
};

/** Replaces the ids of users, chats and processes in a key by placeholders. */
export const toKeyShape = (key: string): string =>
  key
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/(api|worker)-\d+\.[0-9a-f]+/g, '<replica>')
    .replace(/\d+/g, '<n>');

/** Whether each shard has only one key of this shape, because the shard is the only id in it: `{shard<n>}:outbox`. */
const existsOncePerShard = (shape: string): boolean => /^\{[a-z]+<n>\}:[a-z-]+$/.test(shape);

const readLength = async (redis: Redis, key: string): Promise<number> => {
  switch (await redis.type(key)) {
    case 'zset':
      return redis.zcard(key);
    case 'set':
      return redis.scard(key);
    case 'hash':
      return redis.hlen(key);
    case 'list':
      return redis.llen(key);
    case 'stream':
      return redis.xlen(key);
    default: // a string, or a key that was deleted in the meantime
      return 1;
  }
};

/**
 * Counts the keys without an expiry, by shape. The number of keys of a shape that exists once per shard never grows, so
 * the length of the longest of them is returned instead.
 */
export const countKeysWithoutExpiry = async (redis: Redis): Promise<Record<string, number>> => {
  const shapes: Record<string, number> = {};
  const keys = await scanAllKeys(redis);
  const pipeline = redis.pipeline();
  for (const key of keys) pipeline.pttl(key);
  const replies = (await pipeline.exec()) ?? [];
  for (const [index, key] of keys.entries()) {
    // PTTL returns -1 for a key without an expiry.
    const hasExpiry = Number(replies[index]?.[1]) !== -1;
    // BullMQ manages these keys itself, a few for each scheduled job.
    const isOfBullMq = key.startsWith('{jobs}:');
    if (hasExpiry || isOfBullMq) continue;
    const shape = toKeyShape(key);
    const count = shapes[shape] ?? 0;
    shapes[shape] = existsOncePerShard(shape) ? Math.max(count, await readLength(redis, key)) : count + 1;
  }
  return shapes;
};

/** Adds up the lengths of the keys that match a pattern. */
const sumLengths = async (
  keys: readonly string[],
  pattern: RegExp,
  readKeyLength: (key: string) => Promise<number>,
): Promise<number> => {
  let sum = 0;
  for (const key of keys.filter((name) => pattern.test(name))) sum += await readKeyLength(key);
  return sum;
};

const countBacklog = async (redis: Redis, keys: readonly string[]): Promise<Backlog> => ({
  outboxEntries: await sumLengths(keys, /:outbox$/, (key) => redis.xlen(key)),
  waitingJobs: await sumLengths(keys, /^\{jobs\}:[^:]+:(wait|active)$/, (key) => redis.llen(key)),
});

export const readBacklog = async (redis: Redis): Promise<Backlog> =>
  countBacklog(redis, await scanAllKeys(redis));

const readPrivateMessages = async (client: Client): Promise<StoredPrivateMessage[]> => {
  const { rows } = await client.query<{
    id: string;
    sender_id: string;
    receiver_id: string;
    content: string;
  }>('SELECT id, sender_id, receiver_id, content FROM private_messages ORDER BY id');
  return rows.map(({ id, sender_id: senderId, receiver_id: receiverId, content }) => ({
    id: Number(id),
    senderId: Number(senderId),
    receiverId: Number(receiverId),
    content,
  }));
};

const readFriendships = async (client: Client): Promise<Set<string>> => {
  const { rows } = await client.query<{ low_id: string; high_id: string }>(
    'SELECT low_id, high_id FROM friendships',
  );
  return new Set(rows.map(({ low_id: low, high_id: high }) => `${low}-${high}`));
};

/** Reads all evidence from the stores, over connections into which the run injects no faults. */
export const readStoredState = async (redis: Redis, client: Client): Promise<StoredState> => {
  const keys = await scanAllKeys(redis);
  return {
    privateMessages: await readPrivateMessages(client),
    friendships: await readFriendships(client),
    postgresChats: await readPostgresChats(client),
    redisChats: await readRedisChats(redis, keys),
    ...(await countBacklog(redis, keys)),
    deadLetters: await sumLengths(keys, /:dead-letters$/, (key) => redis.xlen(key)),
    keysWithoutExpiry: await countKeysWithoutExpiry(redis),
  };
};
