import { Injectable, Logger } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { DataSource } from 'typeorm';
import {
  isTimeout,
  findSqlState,
  type WriteFault,
  classifyWriteFault,
} from '../../../platform/errors/store-failure.errors';
import {
  type EventForStream,
  EventStoreRepository,
} from '../../../platform/event-store/event-store.repository';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import { DeadLetterRepository } from '../../../platform/hot-log/dead-letter.repository';
import { OutboxRepository, type OutboxEntry } from '../../../platform/hot-log/outbox.repository';
import { DurationHistogram } from '../../../platform/observability/duration.model';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { decodeWrittenEvent, UndecodableEvent } from '../application/chat-event.codec';
import { buildChatStreamId, parseOccurredAtMs } from '../domain/random-chat.events';
import { EndedStreamExpiryService } from './ended-stream-expiry.service';
import { HeldChatRegistry, type OutboxPass } from './held-chat.registry';

/** Maximum number of events in one transaction; fewer after a time-out. */
const MAX_BATCH = 2_000;
/** Maximum number of characters of the events in one transaction. */
const MAX_BATCH_LENGTH = 8 * 1024 * 1024;
/** How often an entry with invalid content must fail in a transaction of its own before it becomes a dead letter. */
const FAILURES_BEFORE_DEAD_LETTER = 5;

interface DecodedEntry {
  entry: OutboxEntry;
  eventForStream: EventForStream;
  /** The event ends the chat. */
  isEnd: boolean;
}

/**
 * Writes outbox entries to PostgreSQL, then removes them from the outbox. If it crashes in between, the entries are
 * written again, which has no effect, because events are deduplicated by id.
 *
 * The `WriteFault` of a failure decides what waits (docs/decisions/0040):
 * - `store`: PostgreSQL has failed, so everything waits.
 * - `code`: this release cannot write an entry. Only its chat is held: the entry is retried with increasing delays, and
 *   the chat's later entries wait for it.
 * - `value`: an entry has invalid content. Its chat is held, too, but after `FAILURES_BEFORE_DEAD_LETTER` failures the
 *   entry becomes a dead letter: it moves to a stream from which an operator can replay it. No other entry leaves the
 *   outbox unwritten.
 */
@Injectable()
export class OutboxWriterService {
  private readonly logger = new Logger(OutboxWriterService.name);
  private batchSize = MAX_BATCH;
  private readonly batchSizeHistogram: Histogram;
  private readonly lagHistogram = new DurationHistogram();

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly deadLetters: DeadLetterRepository,
    private readonly eventStore: EventStoreRepository,
    private readonly eventTypes: EventTypeRegistry,
    private readonly heldChats: HeldChatRegistry,
    private readonly dataSource: DataSource,
    private readonly expiry: EndedStreamExpiryService,
    metrics: MetricsRegistry,
  ) {
    this.batchSizeHistogram = metrics.addHistogram(
      'thaw_persist_batch_size',
      'Events of chats in one transaction',
      [],
      [1, 4, 16, 64, 256, 1_024, MAX_BATCH],
    );
    metrics.addLiveDurations(
      'thaw_projection_lag_seconds',
      'Time from appending the oldest event of a batch to its commit in PostgreSQL',
      () => [[{}, this.lagHistogram]],
    );
  }

  /**
   * Writes, in batches, the entries of chats that are not held. Then retries the held chats that are due. Skips the
   * entries of waiting chats: held chats that are not due for a retry.
   * @param entries in order of append within each chat.
   * @param pass the pass in which `entries` were read.
   * @param throwIfStopped called before each batch; throws when the lock is lost or the process stops.
   * @throws the error of PostgreSQL or Redis if one of them failed; the error of `throwIfStopped`. Entries that were
   * not written stay in the outbox.
   */
  async write(entries: readonly OutboxEntry[], pass: OutboxPass, throwIfStopped: () => void): Promise<void> {
    const unheldEntries: OutboxEntry[] = [];
    const entriesByDueChat = new Map<string, OutboxEntry[]>();
    for (const entry of entries) {
      const { sessionId } = entry;
      if (pass.isWaiting(sessionId)) continue;
      if (pass.isHeld(sessionId))
        entriesByDueChat.set(sessionId, [...(entriesByDueChat.get(sessionId) ?? []), entry]);
      else unheldEntries.push(entry);
    }
    for (let start = 0; start < unheldEntries.length;) {
      const batch = this.takeBatch(unheldEntries, start);
      start += batch.length;
      throwIfStopped();
      await this.appendAndRemove(batch, pass);
    }
    for (const [sessionId, dueEntries] of entriesByDueChat) {
      throwIfStopped();
      await this.retryHeldChat(sessionId, dueEntries, pass);
    }
  }

  /** @param entries the chat's entries. The first one is the entry that has failed before. */
  private async retryHeldChat(
    sessionId: string,
    entries: readonly OutboxEntry[],
    pass: OutboxPass,
  ): Promise<void> {
    await this.appendAndRemove(entries.slice(0, 1), pass);
    const hasFailedAgain = pass.isWaiting(sessionId);
    if (hasFailedAgain) return;
    // The entry was written or is a dead letter.
    this.heldChats.release(sessionId);
    this.logger.log(`Chat ${sessionId} is no longer held back`);
    await this.appendAndRemove(entries.slice(1), pass);
  }

  /** Takes the entries from `start` on that fit in one transaction, but at least one. */
  private takeBatch(entries: readonly OutboxEntry[], start: number): OutboxEntry[] {
    let end = start;
    let length = 0;
    while (end < entries.length && end - start < this.batchSize) {
      length += entries[end]?.text.length ?? 0;
      if (length > MAX_BATCH_LENGTH && end > start) break;
      end += 1;
    }
    return entries.slice(start, end);
  }

  /**
   * Appends entries to the event log and removes them from the outbox. If that fails, halves them until the failing
   * entry is found.
   */
  private async appendAndRemove(entries: readonly OutboxEntry[], pass: OutboxPass): Promise<void> {
    const decoded = await this.decodeUnlessWaiting(entries, pass);
    if (decoded.length === 0) return;
    try {
      await this.eventStore.appendBatch(decoded.map(({ eventForStream }) => eventForStream));
    } catch (error) {
      await this.handleFailedBatch(decoded, error, pass);
      return;
    }
    this.recordBatch(decoded);
    // The batch size grows again after a time-out has reduced it.
    if (decoded.length >= this.batchSize) this.batchSize = Math.min(MAX_BATCH, this.batchSize * 2);
    await this.outbox.remove(
      decoded.map(({ entry }) => entry),
      decoded.filter(({ isEnd }) => isEnd).map(({ entry }) => entry),
      this.expiry.durationMs, // time after which the streams of the ended chats expire
    );
  }

  private recordBatch(batch: readonly DecodedEntry[]): void {
    this.batchSizeHistogram.observe(batch.length);
    const oldestAtMs = Math.min(
      ...batch.map(({ eventForStream }) => eventForStream.event.occurredAt.getTime()),
    );
    this.lagHistogram.observe(Date.now() - oldestAtMs);
  }

  /**
   * Writes each half of a failed batch separately. For a batch of one entry, see `handleFailedEntry`.
   * @throws the error if PostgreSQL has failed.
   */
  private async handleFailedBatch(
    failed: readonly DecodedEntry[],
    error: unknown,
    pass: OutboxPass,
  ): Promise<void> {
    const fault = classifyWriteFault(error);
    const hasTimedOut = isTimeout(error);
    if (hasTimedOut) this.batchSize = Math.max(1, Math.floor(failed.length / 2));
    const mayHalfSucceed = hasTimedOut && failed.length > 1;
    if (fault === 'store' && !mayHalfSucceed) throw error;
    // PostgreSQL may have failed although the error does not show it. Then this query throws, too.
    if (fault === 'code') await this.dataSource.query('SELECT 1');
    const entries = failed.map(({ entry }) => entry);
    const [firstEntry] = entries;
    if (entries.length === 1 && firstEntry) return this.handleFailedEntry(firstEntry, fault, error);
    const middle = Math.ceil(entries.length / 2);
    await this.appendAndRemove(entries.slice(0, middle), pass);
    await this.appendAndRemove(entries.slice(middle), pass);
  }

  /** Decodes entries, except those of chats that wait for a retry. */
  private async decodeUnlessWaiting(
    entries: readonly OutboxEntry[],
    pass: OutboxPass,
  ): Promise<DecodedEntry[]> {
    const decoded: DecodedEntry[] = [];
    for (const entry of entries) {
      // An earlier entry of the same chat has failed since this batch was built. This one stays in the outbox.
      if (pass.isWaiting(entry.sessionId)) continue;
      try {
        decoded.push(this.decode(entry));
      } catch (error) {
        // Decoding depends on this entry only, so the failure counts as an attempt to write it alone.
        await this.handleFailedEntry(entry, error instanceof UndecodableEvent ? 'value' : 'code', error);
      }
    }
    return decoded;
  }

  /**
   * Holds the chat of an entry that cannot be written, or moves the entry to the dead letters.
   * @param fault the cause, which is not `store`.
   */
  private async handleFailedEntry(entry: OutboxEntry, fault: WriteFault, error: unknown): Promise<void> {
    const failureCount = this.heldChats.hold(entry, performance.now());
    const description = `entry ${entry.entryId} of chat ${entry.sessionId}`;
    const reason = findSqlState(error) ?? (error instanceof Error ? error.name : 'unknown');
    if (fault === 'value' && failureCount >= FAILURES_BEFORE_DEAD_LETTER) {
      await this.deadLetters.add(entry, reason);
      this.heldChats.release(entry.sessionId);
      this.logger.error(`A dead letter, refused ${failureCount} times (${reason}): ${description}`);
    } else if (failureCount === 1) {
      this.logger.error(
        `Held back, with what its chat says after it (${reason}): ${description}${formatStack(error)}`,
      );
    }
  }

  /** @throws UndecodableEvent; UnknownEventError for a type or version of a newer release. */
  private decode(entry: OutboxEntry): DecodedEntry {
    const { eventId, type, schemaVersion, data } = decodeWrittenEvent(entry.text);
    return {
      entry,
      isEnd: type === 'ChatEnded',
      eventForStream: {
        streamId: buildChatStreamId(entry.sessionId),
        event: {
          eventId,
          type,
          data: this.eventTypes.upcast(type, schemaVersion, data),
          occurredAt: new Date(parseOccurredAtMs({ id: entry.entryId })),
          metadata: { entryId: entry.entryId },
        },
      },
    };
  }
}

/**
 * The first lines of an error's stack, without its message, which may quote the text of a chat. Empty for an error of
 * PostgreSQL, which has a SQLSTATE instead.
 */
const formatStack = (error: unknown): string => {
  const stack = error instanceof Error && !findSqlState(error) ? (error.stack ?? '') : '';
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return lines.length > 0 ? `\n${lines.slice(0, 5).join('\n')}` : '';
};
