import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { openBatch } from '../platform/redis/redis-nodes.functions';
import { buildSessionId, findShard, chatKeys } from '../platform/redis/redis.keys';

/** An event as a replica writes it. A string is put into the outbox unchanged. */
export type RawEvent = string | { type: string; version?: number; data: object; eventId?: string };

export const chatStarted = (first = 1, second = 2): RawEvent => ({
  type: 'ChatStarted',
  data: {
    userIds: [first, second],
    participants: [first, second].map((id) => ({ id, username: `user ${id}`, avatar: null })),
  },
});

export const messageSent = (content: string, senderId = 1): RawEvent => ({
  type: 'MessageSent',
  data: { senderId, content, messageType: 'text', replyTo: null, clientId: null },
});

export const chatEnded: RawEvent = { type: 'ChatEnded', data: { reason: 'skipped', endedBy: 1 } };

/** A new session id, in the shard of the given one if there is one. */
export const createSessionId = (sameShardAs?: string): string => {
  for (;;) {
    const sessionId = buildSessionId(randomUUID());
    if (sameShardAs === undefined || findShard(sessionId) === findShard(sameShardAs)) return sessionId;
  }
};

const encodeRaw = (event: RawEvent): string => {
  if (typeof event === 'string') return event;
  const { type, version, data, eventId = randomUUID() } = event;
  return JSON.stringify({ i: eventId, t: type, ...(version === undefined ? {} : { v: version }), d: data });
};

/** Puts events into the outbox of a session, as an append would. */
export const putIntoOutbox = async (
  redis: RedisClient,
  sessionId: string,
  events: readonly RawEvent[],
): Promise<void> => {
  const { outbox } = chatKeys(findShard(sessionId));
  const pipeline = openBatch(redis);
  const at = Date.now();
  for (const [index, event] of events.entries()) {
    pipeline.xadd(outbox, '*', 'session', sessionId, 'entry', `${at}-${index}`, 'event', encodeRaw(event));
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
};
