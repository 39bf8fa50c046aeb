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
import { parseChatStreamId } from '../domain/random-chat.events';
import { decodeEvent, encodeEvent } from './chat-event.codec';

/**
 * Replicas keep the events of ended chats for some seconds, and restore those that Redis has lost. A stream that is
 * deleted within this time after the end of its chat looks lost to them, so it might be restored (docs/decisions/0061).
 */
const MAY_BE_RESTORED_FOR_MS = 12_000;
/** Rows, keys or entries of the outbox (the events that are not in PostgreSQL yet) per call. */
const PAGE_SIZE = 500;

/** A row of the read model `chat_history`, which has one row per chat. */
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
   * @returns false while a match of the user is claimed, which means that its chat is about to start; the caller then
   * tries again later.
   */
  async leave(userId: number): Promise<boolean> {
    const match = await this.matching.leave(userId);
    if (match === 'claimed') return false;
    if (match) await this.endIfOpen(match.sessionId);
    return true;
  }

  /**
   * Deletes the streams of the user's ended chats from Redis, and their dead letters (events that could not be written
   * to PostgreSQL). Deletes nothing until this is possible for all of the chats.
   * @param recordDeletion called with the number of keys before they are deleted. If the worker dies in between, the
   * next attempt counts them again.
   * @returns false while a chat is not over, is not completely in PostgreSQL, or may still be restored; the caller then
   * tries again later.
   */
  async deleteStreams(userId: number, recordDeletion: (keyCount: number) => Promise<void>): Promise<boolean> {
    // The history below lacks a chat whose start is still in the outbox.
    let mayDelete = !(await this.hasOutboxEntries((entry) => isStartOfChatOf(userId, entry)));
    const sessionIds = new Set<string>();
    for await (const rows of this.readHistoryPages(userId)) {
      for (const { stream_id: streamId, ended_at: endedAt } of rows) {
        const sessionId = parseChatStreamId(streamId);
        sessionIds.add(sessionId);
        if (!(await this.prepareDeletion(sessionId, endedAt))) mayDelete = false;
      }
    }
    if (!mayDelete || (await this.hasOutboxEntries(({ sessionId }) => sessionIds.has(sessionId))))
      return false;
    await this.deadLetters.deleteBySessionIds(sessionIds);
    await this.deleteKeys(sessionIds, recordDeletion);
    return true;
  }

  /**
   * Blanks the user's data in events of partners: the user's name and avatar, their answers in games, quotes of their
   * messages, and the ids of games.
   * @returns the number of changed rows.
   */
  async blankInEventsOfPartners(userId: number, manager: EntityManager): Promise<number> {
    let count = 0;
    for await (const rows of this.readHistoryPages(userId, manager)) {
      const streamIds = rows.map(({ stream_id: streamId }) => streamId);
      for (const statement of BLANK_STATEMENTS) {
        const [, changedRows] = await manager.query<[unknown, number]>(statement, [streamIds, userId]);
        count += changedRows;
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

  /**
   * Ends a chat that is still open.
   * @param endedAt the end according to PostgreSQL; null while PostgreSQL has none.
   * @returns whether the stream of the chat may be deleted already.
   */
  private async prepareDeletion(sessionId: string, endedAt: Date | null): Promise<boolean> {
    if (endedAt !== null) return Date.now() - endedAt.getTime() >= MAY_BE_RESTORED_FOR_MS;
    // If Redis has the stream, its end still has to reach PostgreSQL. Otherwise there is nothing to end or delete.
    const isInRedis = await this.endIfOpen(sessionId);
    return !isInRedis;
  }

  private async deleteKeys(
    sessionIds: ReadonlySet<string>,
    recordDeletion: (keyCount: number) => Promise<void>,
  ): Promise<void> {
    const keys = [...sessionIds].flatMap((sessionId) => {
      // The set `away` contains the users who have left the chat and may still return.
      const { stream, away } = chatKeys(findShard(sessionId));
      return [stream(sessionId), away(sessionId)];
    });
    for (let start = 0; start < keys.length; start += PAGE_SIZE) {
      const page = keys.slice(start, start + PAGE_SIZE);
      const existing = await this.findExistingKeys(page);
      if (existing.length === 0) continue;
      await recordDeletion(existing.length);
      const pipeline = openBatch(this.redis);
      for (const key of existing) pipeline.unlink(key);
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    }
  }

  /**
   * Ends a chat if it is open, and frees its users.
   * @returns whether Redis has the stream of the chat.
   */
  private async endIfOpen(sessionId: string): Promise<boolean> {
    const { version, first, last } = await this.log.readFirstAndLast(sessionId);
    if (!first || !last) return false;
    const firstEvent = decodeEvent(first.text).event;
    const isOver = decodeEvent(last.text).event?.type === 'ChatEnded';
    if (!isOver) {
      // Appends nothing if another writer was faster, since `version` is outdated then. The next attempt of
      // `deleteStreams` ends the chat.
      const event = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } } as const;
      const text = encodeEvent({ eventId: randomUUID(), event });
      await this.log.append(sessionId, { version, lastId: last.id }, [text], { isEnd: true });
    }
    if (firstEvent?.type === 'ChatStarted') await this.matching.finish(sessionId, firstEvent.data.userIds);
    return true;
  }

  /** Whether the outbox of any shard has an entry that `isWanted` accepts. Its entries are not in PostgreSQL yet. */
  private async hasOutboxEntries(isWanted: (entry: OutboxEntry) => boolean): Promise<boolean> {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
    /** The id after which each outbox is read; '' for its beginning. Shards that are read completely are removed. */
    let positions = new Map(shards.map((shard) => [shard, '']));
    while (positions.size > 0) {
      const nextPositions = new Map<number, string>();
      for (const { shard, entries } of await this.outbox.read(positions, PAGE_SIZE)) {
        if (entries.some(isWanted)) return true;
        const last = entries.at(-1);
        if (last && entries.length === PAGE_SIZE) nextPositions.set(shard, last.outboxId);
      }
      positions = nextPositions;
    }
    return false;
  }

  /** @returns those of the keys that exist in Redis. */
  private async findExistingKeys(keys: readonly string[]): Promise<string[]> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.exists(key);
    const replies = (await pipeline.exec()) ?? [];
    return keys.filter((_, index) => {
      const [error, exists] = replies[index] ?? [];
      if (error) throw error;
      return exists === 1;
    });
  }

  private async *readHistoryPages(
    userId: number,
    manager: EntityManager = this.dataSource.manager,
  ): AsyncGenerator<HistoryRow[]> {
    let afterId: string | undefined = '0';
    while (afterId !== undefined) {
      const rows: HistoryRow[] = await manager.query<HistoryRow[]>(
        `SELECT id, stream_id, ended_at FROM (
           SELECT id, stream_id, ended_at FROM chat_history WHERE user1_id = $1 AND id > $2
           UNION ALL
           SELECT id, stream_id, ended_at FROM chat_history WHERE user2_id = $1 AND id > $2
         ) AS chats ORDER BY id LIMIT $3`,
        [userId, afterId, PAGE_SIZE],
      );
      if (rows.length > 0) yield rows;
      afterId = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.id;
    }
  }
}

const isStartOfChatOf = (userId: number, { text }: OutboxEntry): boolean => {
  const { event } = decodeEvent(text);
  return event?.type === 'ChatStarted' && event.data.userIds.includes(userId);
};

/**
 * Builds SQL that merges `blankFields` into those elements of the array `field` whose `idField` is the user. The id of
 * the user is cast to text, because `->>` returns text. Rows that are already blank are not updated again.
 */
const buildBlankElementsSql = (field: string, idField: string, blankFields: string): string => `
  UPDATE event_private SET data = jsonb_set(data, '{${field}}', (
    SELECT jsonb_agg(CASE WHEN element->>'${idField}' = $2::bigint::text
      THEN element || '${blankFields}' ELSE element END ORDER BY ordinal)
    FROM jsonb_array_elements(data->'${field}') WITH ORDINALITY AS elements(element, ordinal)))
  WHERE stream_id = ANY($1) AND jsonb_typeof(data->'${field}') = 'array' AND EXISTS (
    SELECT 1 FROM jsonb_array_elements(data->'${field}') AS elements(element)
    WHERE element->>'${idField}' = $2::bigint::text AND NOT element @> '${blankFields}')`;

/** Parameters of each statement: $1 stream ids of the user's chats, $2 the user's id. */
const BLANK_STATEMENTS = [
  buildBlankElementsSql('participants', 'id', '{"username": "", "avatar": null}'),
  buildBlankElementsSql('answers', 'userId', '{"response": ""}'),
  `UPDATE event_private SET data = jsonb_set(data, '{replyTo}',
     data->'replyTo' || '{"content": "", "senderName": ""}')
   WHERE stream_id = ANY($1) AND data->'replyTo'->>'senderId' = $2::bigint::text
     AND NOT data->'replyTo' @> '{"content": "", "senderName": ""}'`,
  // The client that started the game chose its id, which may contain any text, and events of both users contain the id.
  // The condition on `$2` is always true, but PostgreSQL needs to know the type of every parameter.
  `UPDATE event_private SET data = jsonb_set(data, '{gameId}', '""')
   WHERE stream_id = ANY($1) AND data->>'gameId' <> '' AND $2::bigint IS NOT NULL`,
] as const;
