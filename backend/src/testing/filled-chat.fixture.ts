import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { encodeEvent } from '../modules/random-chat/application/chat-event.codec';
import { ChatLogRepository, type StreamEnd } from '../platform/hot-log/chat-log.repository';
import { REDIS } from '../platform/redis/redis.module';
import { findShard, chatKeys } from '../platform/redis/redis.keys';
import type { TestReplica } from './test-stack.harness';

/** Number of messages per append. */
const BATCH_SIZE = 100;

/**
 * Appends messages to the stream of a chat in Redis as a replica does, without a socket. Before each batch, deletes the
 * outbox of the chat's shard (its queue of events for PostgreSQL): no worker empties it, and it has less space than a
 * full chat needs.
 * @returns the end of the stream.
 */
export const appendMessages = async (
  { app }: TestReplica,
  sessionId: string,
  senderId: number,
  contents: readonly string[],
): Promise<StreamEnd> => {
  const log = app.get(ChatLogRepository);
  const redis = app.get<Redis>(REDIS);
  const { outbox } = chatKeys(findShard(sessionId));
  const entries = await log.read(sessionId);
  const end = { version: entries.length, lastId: entries.at(-1)?.id ?? '' };
  for (let start = 0; start < contents.length; start += BATCH_SIZE) {
    const encodedEvents = contents.slice(start, start + BATCH_SIZE).map((content) =>
      encodeEvent({
        eventId: randomUUID(),
        event: {
          type: 'MessageSent',
          data: { senderId, content, messageType: 'text', replyTo: null, clientId: null },
        },
      }),
    );
    await redis.del(outbox);
    const result = await log.append(sessionId, end, encodedEvents);
    if (result.kind !== 'appended') throw new Error(`Messages were not appended: ${result.kind}`);
    end.version += encodedEvents.length;
    end.lastId = result.ids.at(-1) ?? '';
  }
  return end;
};
