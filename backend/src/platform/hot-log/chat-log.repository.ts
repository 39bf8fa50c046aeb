import { Inject, Injectable } from '@nestjs/common';
import { ProcessEventsService } from '../process-events/process-events.service';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { openBatch } from '../redis/redis-nodes.functions';
import { findShard, chatKeys } from '../redis/redis.keys';
import { appendEndScript, appendOutcome, appendScript, restoreScript } from './chat-log.scripts';

/** One entry of a session's stream. Its version is its position in the stream, from 1. */
export interface ChatLogEntry {
  /** Stream entry id, `<ms>-<n>`. */
  id: string;
  /** The serialised event, as it was appended. */
  text: string;
}

export interface StreamEnd {
  version: number;
  /** Id of the last entry; '' if there is none. */
  lastId: string;
}

export type AppendResult =
  | { kind: 'appended'; ids: readonly string[] }
  /** Another writer has appended (`missed`), or Redis has lost entries: then `version` is lower than expected. */
  | { kind: 'behind'; version: number; missed: readonly ChatLogEntry[] }
  /** Redis has lost entries, and another writer has appended others since. */
  | { kind: 'diverged' }
  /** Too many events wait for PostgreSQL. */
  | { kind: 'outbox_full' }
  /** The user of `ifOverdue` has returned, or another writer has handled the deadline. */
  | { kind: 'not_overdue' };

export interface AppendOptions {
  /** Appends only if the deadline of this user is still overdue, and removes that deadline. */
  ifOverdue?: { userId: number } | undefined;
  /** The replica that gets the events from the result, so they are not published to it. */
  exceptReplicaId?: string | undefined;
  /** The events end the session, so they are appended even if the outbox or Redis is full. */
  isEnd?: boolean | undefined;
}

/** A stream's version, and its first and last entry. */
export interface ChatLogEdges {
  version: number;
  first: ChatLogEntry | undefined;
  last: ChatLogEntry | undefined;
}

/** Entries per read. Reading in pages keeps a long stream from blocking other work. */
const PAGE_SIZE = 128;

const toEntries = (rows: readonly [string, string[]][]): ChatLogEntry[] =>
  rows.map(([id, fields]) => ({ id, text: fields[1] ?? '' }));

/** The live log of random chats: one Redis stream per chat. */
@Injectable()
export class ChatLogRepository {
  /** Clock of Redis minus clock of this process, measured at the latest append. */
  private clockOffsetMs = 0;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly processEvents: ProcessEventsService,
  ) {}

  /** Returns the time by the clock of entry ids, in epoch ms; accurate to a round trip after the first append. */
  estimateRedisTimeMs(): number {
    return Date.now() + this.clockOffsetMs;
  }

  /**
   * Appends events if the stream still ends as expected, and publishes them to the replicas with sockets in the chat;
   * one round trip.
   */
  async append(
    sessionId: string,
    expected: StreamEnd,
    events: readonly string[],
    { ifOverdue, exceptReplicaId = '', isEnd = false }: AppendOptions = {},
  ): Promise<AppendResult> {
    const shard = findShard(sessionId);
    const keys = chatKeys(shard);
    const script = isEnd ? appendEndScript : appendScript;
    const reply = await script.run(
      this.redis,
      [keys.stream(sessionId), keys.outbox],
      [
        expected.version,
        expected.lastId,
        sessionId,
        ifOverdue ? `${sessionId}|${ifOverdue.userId}` : '',
        exceptReplicaId,
        ...events,
      ],
    );
    switch (reply[0]) {
      case appendOutcome.appended: {
        const [, outboxWasEmpty, ...ids] = reply;
        // An entry id begins with the time of Redis in ms.
        this.clockOffsetMs = Number.parseInt(ids[0] ?? '', 10) - Date.now() || 0;
        if (outboxWasEmpty === 1) this.processEvents.publish('OutboxFilled', { shard });
        return { kind: 'appended', ids };
      }
      case appendOutcome.behind: {
        const [, version, missed] = reply;
        // Our entries and the missed ones must add up to the stream's length; otherwise Redis has lost some of ours.
        if (version >= expected.version && version !== expected.version + missed.length)
          return { kind: 'diverged' };
        return { kind: 'behind', version, missed: toEntries(missed) };
      }
      case appendOutcome.outboxFull:
        return { kind: 'outbox_full' };
      case appendOutcome.notOverdue:
        return { kind: 'not_overdue' };
    }
  }

  /**
   * Appends entries that Redis has lost (the tail of its append-only file) again, with their original ids.
   * @param end the end of the stream before the lost entries.
   * @returns false if the stream does not end there, because another replica has appended since.
   */
  async restore(sessionId: string, end: StreamEnd, lost: readonly ChatLogEntry[]): Promise<boolean> {
    const shard = findShard(sessionId);
    const keys = chatKeys(shard);
    const restored = await restoreScript.run(
      this.redis,
      [keys.stream(sessionId), keys.outbox],
      [end.version, end.lastId, sessionId, ...lost.flatMap(({ id, text }) => [id, text])],
    );
    if (restored === 1) this.processEvents.publish('OutboxFilled', { shard });
    return restored === 1;
  }

  /** Yields the entries after an id ('' for all), in order, in pages. An empty stream yields one empty page. */
  async *readPages(sessionId: string, afterId = ''): AsyncGenerator<ChatLogEntry[], void> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    for (let lastId = afterId; ;) {
      const from = lastId === '' ? '-' : `(${lastId}`;
      const page = toEntries(await this.redis.xrange(stream, from, '+', 'COUNT', PAGE_SIZE));
      yield page;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return;
      lastId = last.id;
    }
  }

  /** Returns the entries after an id ('' for all), in order. */
  async read(sessionId: string, afterId = ''): Promise<ChatLogEntry[]> {
    const entries: ChatLogEntry[] = [];
    for await (const page of this.readPages(sessionId, afterId)) entries.push(...page);
    return entries;
  }

  /**
   * Yields pages of a stream, newest page and newest entry first, from an entry to the start of the stream.
   * @param fromId id of the first entry to yield.
   * @param entriesPerPage called before each read; returns the size of the next page.
   */
  async *readPagesBackwards(
    sessionId: string,
    fromId: string,
    entriesPerPage: () => number,
  ): AsyncGenerator<ChatLogEntry[], void> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    for (let end = fromId; ;) {
      const count = entriesPerPage();
      const page = toEntries(await this.redis.xrevrange(stream, end, '-', 'COUNT', count));
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < count) return;
      end = `(${last.id}`;
    }
  }

  /** Reads a stream's version and its first and last entry in one round trip. */
  async readEdges(sessionId: string): Promise<ChatLogEdges> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    const replies = await openBatch(this.redis)
      .xlen(stream)
      .xrange(stream, '-', '+', 'COUNT', 1)
      .xrevrange(stream, '+', '-', 'COUNT', 1)
      .exec();
    const [version, first, last] = (replies ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply;
    }) as [number, [string, string[]][], [string, string[]][]];
    return { version, first: toEntries(first)[0], last: toEntries(last)[0] };
  }

  /** Reads the versions of many sessions in one pipeline; 0 if there is no such stream. */
  async readVersions(sessionIds: readonly string[]): Promise<number[]> {
    const pipeline = openBatch(this.redis);
    for (const sessionId of sessionIds) pipeline.xlen(chatKeys(findShard(sessionId)).stream(sessionId));
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, length]) => {
      if (error) throw error;
      return Number(length);
    });
  }
}
