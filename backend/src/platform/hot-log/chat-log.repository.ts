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

/** Where a session's stream ends, as its writer knows it. */
export interface StreamEnd {
  /** Number of entries. */
  version: number;
  /** Id of the last entry; '' if there is none. */
  lastId: string;
}

export interface AppendOptions {
  /** Appends only if this user's deadline for returning to the chat has passed, and removes that deadline. */
  ifOverdue?: { userId: number } | undefined;
  /** The replica that appends. Nothing is published to it, because it gets the entry ids from the result. */
  exceptReplicaId?: string | undefined;
  /** The events end the session. They are appended even if the outbox or Redis is full: ended chats free memory. */
  isEnd?: boolean | undefined;
}

export type AppendResult =
  | { kind: 'appended'; ids: readonly string[] }
  /**
   * The stream does not end as expected. If `version` is lower than expected, Redis has lost entries. Otherwise another
   * writer has appended the `missed` entries.
   */
  | { kind: 'behind'; version: number; missed: readonly ChatLogEntry[] }
  /** Redis has lost entries, and another writer has appended others since. */
  | { kind: 'diverged' }
  /** Too many events wait for PostgreSQL. */
  | { kind: 'outbox_full' }
  /** The user in `ifOverdue` has returned, or another writer has handled their deadline. */
  | { kind: 'not_overdue' };

/** The version of a stream, and its first and last entries. */
export interface FirstAndLastEntries {
  version: number;
  first: ChatLogEntry | undefined;
  last: ChatLogEntry | undefined;
}

/** Entries per read. Reading in pages keeps a long stream from blocking other work. */
const PAGE_SIZE = 128;

/** Entries as ioredis returns them. The fields are a list of names and values: `['event', text]`. */
type StreamRows = [id: string, fields: string[]][];

const toEntries = (rows: StreamRows): ChatLogEntry[] =>
  rows.map(([id, fields]) => ({ id, text: fields[1] ?? '' }));

/** The start of a range of a stream that excludes the entry with this id. */
const startBeyond = (id: string): string => `(${id}`;

/** Unwraps one reply of a batch. @throws the error of its command */
const unwrapReply = ([error, reply]: [error: Error | null, reply: unknown]): unknown => {
  if (error) throw error;
  return reply;
};

/**
 * The live log of random chats: one Redis stream per chat. Each event is also added to the outbox of the chat's shard,
 * from which a worker copies it to the durable log in PostgreSQL. A shard is a fixed group of chats whose keys share a
 * hash slot of Redis.
 */
@Injectable()
export class ChatLogRepository {
  /** The clock of Redis minus the clock of this process, measured by the latest append. */
  private clockOffsetMs = 0;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly processEvents: ProcessEventsService,
  ) {}

  /**
   * Estimates the time of the clock that entry ids are based on.
   * @returns epoch ms. Before the first append, the time of this process; then accurate to the time of one round trip.
   */
  estimateRedisTimeMs(): number {
    return Date.now() + this.clockOffsetMs;
  }

  /**
   * Appends events if the stream still ends as expected, and publishes them to the replicas with sockets in the chat.
   * Takes one round trip.
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
    const overdueDeadline = ifOverdue ? `${sessionId}|${ifOverdue.userId}` : ''; // a member of `keys.deadlines`
    const reply = await script.run(
      this.redis,
      [keys.stream(sessionId), keys.outbox],
      [expected.version, expected.lastId, sessionId, overdueDeadline, exceptReplicaId, ...events],
    );
    switch (reply[0]) {
      case appendOutcome.appended: {
        const [, outboxWasEmpty, ...ids] = reply;
        const [firstId] = ids;
        // An entry id begins with the time of Redis in ms.
        if (firstId !== undefined) this.clockOffsetMs = Number.parseInt(firstId, 10) - Date.now();
        if (outboxWasEmpty === 1) this.processEvents.publish('OutboxBecameNonEmpty', { shard });
        return { kind: 'appended', ids };
      }
      case appendOutcome.behind: {
        const [, version, missed] = reply;
        const isRedisBehind = version < expected.version;
        const hasAllExpected = version === expected.version + missed.length;
        if (!isRedisBehind && !hasAllExpected) return { kind: 'diverged' };
        return { kind: 'behind', version, missed: toEntries(missed) };
      }
      case appendOutcome.outboxFull:
        return { kind: 'outbox_full' };
      case appendOutcome.notOverdue:
        return { kind: 'not_overdue' };
    }
  }

  /**
   * Appends entries again, with their original ids, after Redis has lost the tail of its append-only file.
   * @param expected the end of the stream before the lost entries.
   * @returns false if the stream no longer ends there, because another replica has appended in the meantime.
   */
  async restore(sessionId: string, expected: StreamEnd, lost: readonly ChatLogEntry[]): Promise<boolean> {
    const shard = findShard(sessionId);
    const keys = chatKeys(shard);
    const restored = await restoreScript.run(
      this.redis,
      [keys.stream(sessionId), keys.outbox],
      [expected.version, expected.lastId, sessionId, ...lost.flatMap(({ id, text }) => [id, text])],
    );
    if (restored === 1) this.processEvents.publish('OutboxBecameNonEmpty', { shard });
    return restored === 1;
  }

  /** Yields the entries after an id ('' for all), in order and in pages. */
  async *readPages(sessionId: string, afterId = ''): AsyncGenerator<ChatLogEntry[], void> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    let rangeStart = afterId === '' ? '-' : startBeyond(afterId);
    for (;;) {
      const page = toEntries(await this.redis.xrange(stream, rangeStart, '+', 'COUNT', PAGE_SIZE));
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return;
      rangeStart = startBeyond(last.id);
    }
  }

  /** Returns the entries after an id ('' for all), in order. */
  async read(sessionId: string, afterId = ''): Promise<ChatLogEntry[]> {
    const entries: ChatLogEntry[] = [];
    for await (const page of this.readPages(sessionId, afterId)) entries.push(...page);
    return entries;
  }

  /**
   * Yields the entries from a given one back to the start of the stream, in pages and newest first.
   * @param fromId id of the first entry to yield.
   * @param choosePageSize called before each read; returns the number of entries of the next page.
   */
  async *readPagesBackwards(
    sessionId: string,
    fromId: string,
    choosePageSize: () => number,
  ): AsyncGenerator<ChatLogEntry[], void> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    let rangeStart = fromId;
    for (;;) {
      const count = choosePageSize();
      const page = toEntries(await this.redis.xrevrange(stream, rangeStart, '-', 'COUNT', count));
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < count) return;
      rangeStart = startBeyond(last.id);
    }
  }

  /** Reads a stream's version and its first and last entries in one round trip. */
  async readFirstAndLast(sessionId: string): Promise<FirstAndLastEntries> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    const replies = await openBatch(this.redis)
      .xlen(stream)
      .xrange(stream, '-', '+', 'COUNT', 1)
      .xrevrange(stream, '+', '-', 'COUNT', 1)
      .exec();
    const [version, firstRows, lastRows] = (replies ?? []).map(unwrapReply) as [
      number,
      StreamRows,
      StreamRows,
    ];
    return { version, first: toEntries(firstRows)[0], last: toEntries(lastRows)[0] };
  }

  /** Reads the versions of many sessions in one batch. The version of a session without a stream is 0. */
  async readVersions(sessionIds: readonly string[]): Promise<number[]> {
    const batch = openBatch(this.redis);
    for (const sessionId of sessionIds) batch.xlen(chatKeys(findShard(sessionId)).stream(sessionId));
    const replies = (await batch.exec()) ?? [];
    return replies.map((reply) => Number(unwrapReply(reply)));
  }
}
