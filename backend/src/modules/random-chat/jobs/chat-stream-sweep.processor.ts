import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { setDeadlines } from '../../../platform/hot-log/chat-presence.service';
import { warnAbout } from '../../../platform/observability/warn-about.functions';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { REDIS } from '../../../platform/redis/redis.module';
import { chatStreams } from '../../../platform/redis/redis.keys';
import { summaryOf } from '../application/chat-summary.mapper';
import { chatStream } from '../domain/random-chat.events';
import { EndedStreamExpiryService } from './ended-stream-expiry.service';

const SWEEP_EVERY_MS = 60 * 60_000;
const SHORTEN_EVERY_MS = 10_000;
const SCAN_COUNT = 500;
const SILENT_MS = 60 * 60_000;

/**
 * Sweeps chat streams in Redis that would otherwise stay forever, because their end or its expiry was lost: with the
 * last second of Redis, or because the end was once a dead letter. An ended chat whose end is durable gets its expiry,
 * a shorter one while the memory valve is closed. In an open chat that has been silent for an hour, absent users get
 * a deadline, after which a replica ends the chat.
 */
@Injectable()
export class ChatStreamSweepProcessor implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ChatStreamSweepProcessor.name);
  private timer: NodeJS.Timeout | undefined;
  private isShortening = false;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly dataSource: DataSource,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
    private readonly expiry: EndedStreamExpiryService,
    private readonly log: ChatLogRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sweep_streams', async () => {
      const { expiring, expected } = await this.sweep();
      if (expiring > 0) this.logger.warn(`${expiring} streams of ended chats had no expiry`);
      if (expected > 0) this.logger.log(`${expected} silent chats were looked at`);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    // A timer instead of a job, since a full Redis accepts no jobs.
    this.timer = setInterval(() => void this.shortenWhileFull(), SHORTEN_EVERY_MS).unref();
    await this.jobs.schedule('sweep_streams', {}, SWEEP_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * @param silentBefore epoch ms: an open chat whose last event is older counts as silent.
   * @returns the number of streams that now expire, and of silent chats.
   */
  async sweep(silentBefore = this.log.now() - SILENT_MS): Promise<{ expiring: number; expected: number }> {
    const count = { expiring: 0, expected: 0 };
    for await (const keys of this.streams()) {
      const ttls = await this.ttlsOf(keys);
      const lasting = keys.filter((_, index) => ttls[index] === -1);
      const ended = await this.durablyEnded(lasting);
      await this.expire([...ended], this.expiry.ms);
      count.expiring += ended.size;
      const open = lasting.filter((key) => !ended.has(key));
      for (const key of await this.silent(open, silentBefore)) {
        await this.setDeadlinesOfAbsent(sessionOf(key));
        count.expected += 1;
      }
    }
    return count;
  }

  private async setDeadlinesOfAbsent(sessionId: string): Promise<void> {
    const { isEnded, userIds } = summaryOf(sessionId, await this.log.readEdges(sessionId));
    if (!isEnded && userIds.length > 0)
      await setDeadlines(this.redis, sessionId, userIds, this.environment.GRACE_AFTER_LOSS_MS);
  }

  /** The streams whose last entry is older than `before` (epoch ms). */
  private async silent(keys: readonly string[], before: number): Promise<string[]> {
    const pipeline = this.redis.pipeline();
    for (const key of keys) pipeline.xrevrange(key, '+', '-', 'COUNT', 1);
    const replies = (await pipeline.exec()) ?? [];
    return keys.filter((_, index) => {
      const [last] = (replies[index]?.[1] ?? []) as [id: string, fields: string[]][];
      return last !== undefined && parseInt(last[0], 10) < before;
    });
  }

  /** Shortens the expiry of streams that got the usual one before Redis filled up. */
  private async shortenWhileFull(): Promise<void> {
    const { ms } = this.expiry;
    if (!this.expiry.isShort || this.isShortening) return;
    this.isShortening = true;
    try {
      for await (const keys of this.streams()) {
        const ttls = await this.ttlsOf(keys);
        await this.expire(
          keys.filter((_, index) => (ttls[index] ?? 0) > ms),
          ms,
        );
      }
    } catch (error) {
      warnAbout(this.logger, 'The expiry of ended streams was not shortened', error);
    } finally {
      this.isShortening = false;
    }
  }

  private async *streams(): AsyncGenerator<string[], void> {
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', chatStreams.pattern, 'COUNT', SCAN_COUNT);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== '0');
  }

  private async durablyEnded(keys: readonly string[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.dataSource.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM events WHERE stream_id = ANY ($1) AND type = 'ChatEnded'`,
      [keys.map((key) => chatStream(sessionOf(key)))],
    );
    const ended = new Set(rows.map(({ stream_id: streamId }) => streamId));
    return new Set(keys.filter((key) => ended.has(chatStream(sessionOf(key)))));
  }

  private async expire(keys: readonly string[], expireMs: number): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const key of keys) pipeline.pexpire(key, expireMs);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  /** Remaining ms by key; -1 for a stream without an expiry. */
  private async ttlsOf(keys: readonly string[]): Promise<number[]> {
    const pipeline = this.redis.pipeline();
    for (const key of keys) pipeline.pttl(key);
    return ((await pipeline.exec()) ?? []).map(([, ttl]) => Number(ttl ?? NaN));
  }
}

const sessionOf = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
