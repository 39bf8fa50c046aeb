import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { isStoreFailure } from '../../../platform/errors/store-failure';
import { type Addressed, EventStore } from '../../../platform/event-store/event-store';
import { Outbox, type OutboxEntry } from '../../../platform/hot-log/outbox';
import { JobHandlers } from '../../../platform/queue/job-handlers';
import { JobQueue } from '../../../platform/queue/job-queue';
import { decodeEvent } from '../application/chat-event-codec';
import { GATHER_MS, OutboxWaker } from '../application/outbox-waker';
import { chatStream } from '../domain/chat-stream';
import { occurredAtMs } from '../domain/random-chat.events';

const PER_CELL = 1_000;
/** Events in one transaction: far below the statement timeout. */
const PER_TRANSACTION = 2_000;
const LOCK_MS = 10_000;
const WATCH_EVERY_MS = 2_000;
/** How long a chat's stream stays in Redis once its end is durable. */
const ENDED_STREAM_EXPIRES_MS = 10 * 60_000;

interface Decoded {
  entry: OutboxEntry;
  addressed: Addressed;
  isEnd: boolean;
}

/**
 * Carries lanes from Redis to PostgreSQL: read, commit, then delete. A crash anywhere does it again without
 * effect, because events are dropped by their id: exactly once in effect.
 */
@Injectable()
export class LanePersister implements OnModuleInit {
  private readonly logger = new Logger(LanePersister.name);

  /** When entries were last carried over (epoch ms), by this worker. */
  progressedAt = 0;
  /** When this worker last began with a lane (epoch ms). */
  private readonly begunAt = new Map<number, number>();

  constructor(
    private readonly outbox: Outbox,
    private readonly eventStore: EventStore,
    private readonly handlers: JobHandlers,
    private readonly jobs: JobQueue,
    private readonly waker: OutboxWaker,
  ) {}

  onModuleInit(): void {
    this.handlers.register('persist_lane', ({ lane }) => this.persistInTurn(lane));
    this.handlers.register('watch_outboxes', () => this.watch());
  }

  /** A lost wake-up strands nothing: every two seconds somebody looks at all outboxes. */
  async startWatching(): Promise<void> {
    await this.jobs.schedule('watch_outboxes', {}, WATCH_EVERY_MS);
  }

  /**
   * However many replicas wake a lane, it is gone through once in a while: what a pass costs hardly depends on how
   * much it carries.
   */
  private async persistInTurn(lane: number): Promise<void> {
    const now = Date.now();
    if (now - (this.begunAt.get(lane) ?? 0) < GATHER_MS) return this.waker.wakeSoon(lane);
    this.begunAt.set(lane, now);
    await this.persist(lane);
  }

  /**
   * Carries what the outboxes of a lane hold. What comes in meanwhile is left to gather for the next time, unless
   * it is much. @returns when that is done, or somebody else is at it.
   */
  async persist(lane: number): Promise<void> {
    const token = randomUUID();
    if (!(await this.outbox.lock(lane, token, LOCK_MS))) return;
    try {
      let isMuch: boolean;
      do {
        const entries = await this.outbox.heads(lane, PER_CELL);
        isMuch = entries.length >= PER_CELL;
        for (let start = 0; start < entries.length; start += PER_TRANSACTION) {
          await this.persistEntries(entries.slice(start, start + PER_TRANSACTION));
          if (!(await this.outbox.lock(lane, token, LOCK_MS))) return;
        }
      } while (isMuch);
      // The replicas speak up for outboxes only that were empty.
      if (await this.outbox.isFilled(lane)) this.waker.wakeSoon(lane);
    } finally {
      await this.outbox.unlock(lane, token).catch(() => undefined); // it runs out by itself
    }
  }

  private async watch(): Promise<void> {
    for (const lane of await this.outbox.filledLanes()) await this.persistInTurn(lane);
  }

  private async persistEntries(entries: readonly OutboxEntry[]): Promise<void> {
    const decoded: Decoded[] = [];
    for (const entry of entries) {
      try {
        decoded.push(decode(entry));
      } catch (error) {
        await this.setAside(entry, error);
      }
    }
    try {
      await this.eventStore.appendBatch(decoded.map(({ addressed }) => addressed));
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      await this.persistOneByOne(decoded);
      return;
    }
    await this.remove(decoded);
  }

  /** Something in the batch cannot be written: find it, set it aside, write the rest. */
  private async persistOneByOne(decoded: readonly Decoded[]): Promise<void> {
    for (const one of decoded) {
      try {
        await this.eventStore.appendBatch([one.addressed]);
        await this.remove([one]);
      } catch (error) {
        if (isStoreFailure(error)) throw error;
        await this.setAside(one.entry, error);
      }
    }
  }

  private async remove(decoded: readonly Decoded[]): Promise<void> {
    await this.outbox.remove(
      decoded.map(({ entry }) => entry),
      decoded.filter(({ isEnd }) => isEnd).map(({ entry }) => entry),
      ENDED_STREAM_EXPIRES_MS,
    );
    this.progressedAt = Date.now();
  }

  private async setAside(entry: OutboxEntry, error: unknown): Promise<void> {
    this.logger.error(
      `Entry ${entry.entryId} of session ${entry.sessionId} was set aside: ${error instanceof Error ? error.name : 'unknown'}`,
    );
    await this.outbox.setAside(entry);
  }
}

const decode = (entry: OutboxEntry): Decoded => {
  const { eventId, event } = decodeEvent(entry.text);
  return {
    entry,
    isEnd: event.type === 'ChatEnded',
    addressed: {
      streamId: chatStream(entry.sessionId),
      event: {
        eventId,
        type: event.type,
        data: event.data,
        occurredAt: new Date(occurredAtMs({ id: entry.entryId })),
        metadata: { entryId: entry.entryId },
      },
    },
  };
};
