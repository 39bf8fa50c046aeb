import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { DeadLetterRepository } from '../../../platform/hot-log/dead-letter.repository';
import { type OutboxEntry, OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { chatKeys, SHARD_COUNT, findShard } from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { openBatch } from '../../../platform/redis/redis-nodes.functions';
import { MatchRemovalService } from '../../matching/application/match-removal.service';
import { decodeEvent, encodeEvent } from './chat-event.codec';

/**
 * Replicas keep the events of ended chats for some seconds, and restore those that Redis has lost. A stream that is
 * deleted within this time would be restored.
 */
const RESTORED_FOR_MS = 12_000;
/** Rows, keys or outbox entries per call. */
const PAGE_SIZE = 500;

interface HistoryRow {
  id: string;
  stream_id: string;
  ended_at: Date | null;
}

/**
 * Erases a user from random chats: ends the open chat, deletes the streams in Redis, and blanks the user's data in
 * events of partners.
 */
@Injectable()
export class ChatErasureService {
  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly dataSource: DataSource,
    private readonly log: ChatLogRepository,
    private readonly outbox: OutboxRepository,
    private readonly deadLetters: DeadLetterRepository,
    private readonly matching: MatchRemovalService,
  ) {}

  /**
   * Ends the user's search or chat; the partner sees a lost connection.
   * @returns false while a match is pending.
   */
  async leave(userId: number): Promise<boolean> {
    const previous = await this.matching.leave(userId);
    if (previous === 'claimed') return false;
    if (previous) await this.end(previous.sessionId);
    return true;
  }

  /**
   * Deletes the streams of the user's ended chats from Redis, and their dead letters.
   * @param recordDeleted is given the number of keys before they are deleted.
   * @returns false while a chat is not over, not in PostgreSQL, or may still be restored.
   */
  async deleteStreams(userId: number, recordDeleted: (keys: number) => Promise<void>): Promise<boolean> {
    // A chat whose start is still in the outbox is missing in the history below.
    let isComplete = !(await this.hasOutboxEntries((entry) => isStartOfChatOf(userId, entry)));
    const sessionIds = new Set<string>();
    for await (const rows of this.readPages(userId)) {
      const unfinished = rows.filter(({ ended_at: endedAt }) => endedAt === null);
      for (const { stream_id: streamId } of unfinished) {
        const sessionId = parseSessionId(streamId);
        if (await this.end(sessionId)) isComplete = false;
      }
      for (const { stream_id: streamId, ended_at: endedAt } of rows) {
        if (endedAt !== null && Date.now() - endedAt.getTime() < RESTORED_FOR_MS) isComplete = false;
        else sessionIds.add(parseSessionId(streamId));
      }
    }
    if (!isComplete || (await this.hasOutboxEntries(({ sessionId }) => sessionIds.has(sessionId))))
      return false;
    await this.deadLetters.deleteOf(sessionIds);
    const keys = [...sessionIds].flatMap((sessionId) => {
      const { stream, away } = chatKeys(findShard(sessionId));
      return [stream(sessionId), away(sessionId)];
    });
    for (let start = 0; start < keys.length; start += PAGE_SIZE) {
      const page = keys.slice(start, start + PAGE_SIZE);
      const existing = await this.findExisting(page);
      if (existing.length === 0) continue;
      await recordDeleted(existing.length);
      const pipeline = openBatch(this.redis);
      for (const key of existing) pipeline.unlink(key);
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    }
    return true;
  }

  /**
   * Blanks what events of partners contain of the user: their name, their answers in games, the ids of
   * games, and quotes of their messages.
   * @returns the number of events.
   */
  async blankInEventsOfPartners(userId: number, manager: EntityManager): Promise<number> {
    let count = 0;
    for await (const rows of this.readPages(userId, manager)) {
      const streamIds = rows.map(({ stream_id: streamId }) => streamId);
      for (const statement of BLANK_STATEMENTS) {
        const [, changed] = await manager.query<[unknown, number]>(statement, [streamIds, userId]);
        count += changed;
      }
    }
    return count;
  }

  async countChats(userId: number, manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM chat_history WHERE user1_id = $1 OR user2_id = $1',
      [userId],
    );
    return row?.count ?? 0;
  }

  /** Ends a chat if it is open, and frees its users. @returns whether Redis has the stream of the chat. */
  private async end(sessionId: string): Promise<boolean> {
    const { version, first, last } = await this.log.readEdges(sessionId);
    if (!first || !last) return false;
    const started = decodeEvent(first.text).event;
    const isOver = decodeEvent(last.text).event?.type === 'ChatEnded';
    if (!isOver) {
      const event = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } } as const;
      const text = encodeEvent({ eventId: randomUUID(), event });
      await this.log.append(sessionId, { version, lastId: last.id }, [text], { isEnd: true });
    }
    if (started?.type === 'ChatStarted') await this.matching.finish(sessionId, started.data.userIds);
    return true;
  }

  private async hasOutboxEntries(isWanted: (entry: OutboxEntry) => boolean): Promise<boolean> {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
    for (let positions = new Map(shards.map((shard) => [shard, ''])); positions.size > 0;) {
      const next = new Map<number, string>();
      for (const { shard, entries } of await this.outbox.read(positions, PAGE_SIZE)) {
        if (entries.some(isWanted)) return true;
        const last = entries.at(-1);
        if (last && entries.length === PAGE_SIZE) next.set(shard, last.outboxId);
      }
      positions = next;
    }
    return false;
  }

  private async findExisting(keys: readonly string[]): Promise<string[]> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.exists(key);
    const replies = (await pipeline.exec()) ?? [];
    return keys.filter((_, index) => {
      const [error, exists] = replies[index] ?? [];
      if (error) throw error;
      return exists === 1;
    });
  }

  private async *readPages(
    userId: number,
    manager: EntityManager = this.dataSource.manager,
  ): AsyncGenerator<HistoryRow[]> {
    for (let after = '0'; ;) {
      const rows = await manager.query<HistoryRow[]>(
        `SELECT id, stream_id, ended_at FROM (
           SELECT id, stream_id, ended_at FROM chat_history WHERE user1_id = $1 AND id > $2
           UNION ALL
           SELECT id, stream_id, ended_at FROM chat_history WHERE user2_id = $1 AND id > $2
         ) AS chats ORDER BY id LIMIT $3`,
        [userId, after, PAGE_SIZE],
      );
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE_SIZE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }
}

const isStartOfChatOf = (userId: number, { text }: OutboxEntry): boolean => {
  const { event } = decodeEvent(text);
  return event?.type === 'ChatStarted' && event.data.userIds.includes(userId);
};

const parseSessionId = (streamId: string): string => streamId.slice('chat-'.length);

/** SQL that merges `blanked` into those elements of the array `field` whose `idField` is the user. */
const blankElements = (field: string, idField: string, blanked: string): string => `
  UPDATE event_private SET data = jsonb_set(data, '{${field}}', (
    SELECT jsonb_agg(CASE WHEN element->>'${idField}' = $2::bigint::text
      THEN element || '${blanked}' ELSE element END ORDER BY ordinal)
    FROM jsonb_array_elements(data->'${field}') WITH ORDINALITY AS elements(element, ordinal)))
  WHERE stream_id = ANY($1) AND jsonb_typeof(data->'${field}') = 'array' AND EXISTS (
    SELECT 1 FROM jsonb_array_elements(data->'${field}') AS elements(element)
    WHERE element->>'${idField}' = $2::bigint::text AND NOT element @> '${blanked}')`;

const BLANK_STATEMENTS = [
  blankElements('participants', 'id', '{"username": "", "avatar": null}'),
  blankElements('answers', 'userId', '{"response": ""}'),
  `UPDATE event_private SET data = jsonb_set(data, '{replyTo}',
     data->'replyTo' || '{"content": "", "senderName": ""}')
   WHERE stream_id = ANY($1) AND data->'replyTo'->>'senderId' = $2::bigint::text
     AND NOT data->'replyTo' @> '{"content": "", "senderName": ""}'`,
  // The client that started the game chose this id, and events of both users repeat it. `$2` is not needed here.
  `UPDATE event_private SET data = jsonb_set(data, '{gameId}', '""')
   WHERE stream_id = ANY($1) AND data->>'gameId' <> '' AND $2::bigint IS NOT NULL`,
] as const;
