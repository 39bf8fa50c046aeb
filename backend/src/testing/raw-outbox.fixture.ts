import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { openBatch } from '../platform/redis/redis-nodes.functions';
import { buildSessionId, findShard, chatKeys } from '../platform/redis/redis.keys';

/**
 * A chat event for the outbox: the Redis stream of events that a worker has yet to copy to PostgreSQL. A string is put
 * into the outbox unchanged, in place of the JSON text of an event.
 */
export type RawEvent = string | { type: string; version?: number; data: object; eventId?: string };

export const chatStarted = (firstUserId = 1, secondUserId = 2): RawEvent => ({
  type: 'ChatStarted',
  data: {
    userIds: [firstUserId, secondUserId],
    participants: [firstUserId, secondUserId].map((id) => ({ id, username: `user ${id}`, avatar: null })),
  },
});

export const messageSent = (content: string, senderId = 1): RawEvent => ({
  type: 'MessageSent',
  data: { senderId, content, messageType: 'text', replyTo: null, clientId: null },
});

export const chatEnded: RawEvent = { type: 'ChatEnded', data: { reason: 'skipped', endedBy: 1 } };

/** Creates the id of a chat in any shard. */
export const createSessionId = (): string => buildSessionId(randomUUID());

/** Creates the id of a chat whose events are in the same outbox as those of another chat. Each shard has one outbox. */
export const createSessionIdInShardOf = (otherSessionId: string): string => {
  for (;;) {
    const sessionId = createSessionId();
    if (findShard(sessionId) === findShard(otherSessionId)) return sessionId;
  }
};

/** The JSON text of an event, with the short keys of `chat-event.codec.ts`. */
export const encodeEvent = (event: RawEvent): string => {
  if (typeof event === 'string') return event;
  const { type, version, data, eventId = randomUUID() } = event;
  return JSON.stringify({ i: eventId, t: type, ...(version === undefined ? {} : { v: version }), d: data });
};

/** Puts events into the outbox of a session, as an append to the chat does. */
export const putIntoOutbox = async (
  redis: RedisClient,
  sessionId: string,
  events: readonly RawEvent[],
): Promise<void> => {
  const { outbox } = chatKeys(findShard(sessionId));
  const pipeline = openBatch(redis);
  const nowMs = Date.now();
  for (const [index, event] of events.entries()) {
    // The id that the event has in the stream of its chat.
    const entryId = `${nowMs}-${index}`;
    pipeline.xadd(outbox, '*', 'session', sessionId, 'entry', entryId, 'event', encodeEvent(event));
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
};
