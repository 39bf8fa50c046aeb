import { decodeWrittenEvent } from '../modules/random-chat/application/chat-event.codec';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import { ChatLogRepository } from '../platform/hot-log/chat-log.repository';
import { chatKeys, findShard } from '../platform/redis/redis.keys';
import type { TestReplica, TestStack } from './test-stack.harness';

/**
 * Copies the stream of a chat to PostgreSQL, as the worker does.
 * @param olderByMs how much older the persisted events are than those in Redis.
 */
export const persistChat = async (
  { app }: Pick<TestReplica, 'app'>,
  sessionId: string,
  olderByMs = 0,
): Promise<void> => {
  const entries = await app.get(ChatLogRepository).read(sessionId);
  await app.get(EventStoreRepository).append(
    `chat-${sessionId}`,
    'any',
    entries.map(({ id, text }) => {
      const { eventId, type, data } = decodeWrittenEvent(text);
      // The id of an entry begins with its time in ms.
      const occurredAt = new Date(Number.parseInt(id, 10) - olderByMs);
      return { eventId, type, data, occurredAt, metadata: { entryId: id } };
    }),
  );
};

/** Deletes the stream of a chat from Redis, as its expiry does. */
export const dropLiveChat = async ({ store }: TestStack, sessionId: string): Promise<void> => {
  await store.redis.del(chatKeys(findShard(sessionId)).stream(sessionId));
};
