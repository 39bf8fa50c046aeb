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
/** How often an entry with invalid content must fail alone before it becomes a dead letter. */
const FAILURES_BEFORE_DEAD_LETTER = 5;

interface DecodedEntry {
  entry: OutboxEntry;
  eventForStream: EventForStream;
  isEnd: boolean;
}

/**
 * Writes outbox entries to PostgreSQL, then removes them from the outbox. If it crashes in between, the entries are
 * written again, which has no effect, because events are deduplicated by id.
 *
 * The kind of failure decides what waits (docs/decisions/0040). If PostgreSQL fails, everything waits. If an entry
 * fails, only its chat waits: the chat is held, and its next entry is retried with increasing delays. An entry with
 * invalid content becomes a dead letter after `FAILURES_BEFORE_DEAD_LETTER` failures: it moves to a stream of its own,
 * from which an operator can replay it. No other entry leaves the outbox unwritten.
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
   * Writes, in batches, the entries of chats that are not held. Then retries the held chats that are due: first each
   * chat's failed entry alone and, unless the chat is still held, its later entries.
   * @param entries in order of append within each chat. Entries of held chats that are not due for a retry are skipped.
   * @param pass the pass in which `entries` were read. A held chat whose retry is not due yet is waiting.
   * @param throwIfStopped called before each batch; throws when the lock is lost or the process stops.
   * @throws the error of PostgreSQL or Redis if one of them failed; the error of `throwIfStopped`. Entries that were
   * not written stay in the outbox.
   */
  async write(entries: readonly OutboxEntry[], pass: OutboxPass, throwIfStopped: () => void): Promise<void> {
    const entriesByHeldChat = new Map<string, OutboxEntry[]>();
    const otherEntries: OutboxEntry[] = [];
    for (const entry of entries) {
      const { sessionId } = entry;
      if (!pass.isHeld(sessionId)) otherEntries.push(entry);
      else if (!pass.isWaiting(sessionId))
        entriesByHeldChat.set(sessionId, [...(entriesByHeldChat.get(sessionId) ?? []), entry]);
    }
    for (let start = 0; start < otherEntries.length;) {
      const batch = this.takeBatch(otherEntries, start);
      start += batch.length;
      throwIfStopped();
      await this.appendAndRemove(batch, pass);
    }
    // The first entry of a held chat is the one that has failed before.
    for (const [sessionId, [failedEntry, ...rest]] of entriesByHeldChat) {
      throwIfStopped();
      if (failedEntry) await this.appendAndRemove([failedEntry], pass);
      // The chat waits again, because the entry has failed again. Otherwise the entry was written or is a dead letter.
      if (pass.isWaiting(sessionId)) continue;
      this.heldChats.release(sessionId);
      this.logger.log(`Chat ${sessionId} is no longer held back`);
      await this.appendAndRemove(rest, pass);
    }
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
      await this.splitAndRetry(decoded, error, pass);
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
    const oldest = Math.min(...batch.map(({ eventForStream }) => eventForStream.event.occurredAt.getTime()));
    this.lagHistogram.observe(Date.now() - oldest);
  }

  /**
   * Writes each half of a failed batch separately, or records the failure of a single entry. A fault is `store`
   * (PostgreSQL has failed), `value` (an entry has invalid content) or `code` (this release cannot write an entry).
   * @throws the error if PostgreSQL has failed.
   */
  private async splitAndRetry(
    failed: readonly DecodedEntry[],
    error: unknown,
    pass: OutboxPass,
  ): Promise<void> {
    const fault = classifyWriteFault(error);
    const hasTimedOut = isTimeout(error);
    if (hasTimedOut) this.batchSize = Math.max(1, Math.floor(failed.length / 2));
    const maySmallerBatchSucceed = hasTimedOut && failed.length > 1;
    if (fault === 'store' && !maySmallerBatchSucceed) throw error;
    // PostgreSQL may have failed although the error does not show it. Then this query throws, too.
    if (fault === 'code') await this.dataSource.query('SELECT 1');
    const entries = failed.map(({ entry }) => entry);
    const [firstEntry] = entries;
    if (entries.length === 1 && firstEntry) return this.recordFailure(firstEntry, fault, error);
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
        await this.recordFailure(entry, error instanceof UndecodableEvent ? 'value' : 'code', error);
      }
    }
    return decoded;
  }

  /** Records a failure that the entry caused, not PostgreSQL. */
  private async recordFailure(entry: OutboxEntry, fault: WriteFault, error: unknown): Promise<void> {
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
