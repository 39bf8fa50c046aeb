import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { setDeadlines } from '../../../platform/hot-log/chat-presence.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { openBatch, scanKeys } from '../../../platform/redis/redis-nodes.functions';
import { chatStreams } from '../../../platform/redis/redis.keys';
import { summariseChat } from '../application/chat-summary.mapper';
import { buildChatStreamId } from '../domain/random-chat.events';
import { EndedStreamExpiryService } from './ended-stream-expiry.service';

const SWEEP_EVERY_MS = 60 * 60_000;
/** How often expiries are shortened while Redis is short of memory. */
const SHORTEN_EVERY_MS = 10_000;
/** Keys that Redis examines for one SCAN command, so that it is not blocked for long. */
const SCAN_COUNT = 500;
/** Reply of PTTL for a key that does not expire. */
const NO_EXPIRY = -1;
/** An open chat without an event for this long is silent. */
const SILENT_AFTER_MS = 60 * 60_000;

/**
 * Sweeps chat streams that would otherwise stay in Redis forever, because a crash of Redis lost their `ChatEnded` event
 * or their expiry, or because `ChatEnded` was a dead letter for a while. If PostgreSQL has the end of a chat, its
 * stream gets an expiry, which is shorter while the memory valve is closed. In an open chat without an event for an
 * hour, absent users get a deadline, after which a replica ends the chat.
 */
@Injectable()
export class ChatStreamSweepProcessor implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ChatStreamSweepProcessor.name);
  private timer: NodeJS.Timeout | undefined;
  private isShortening = false;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly dataSource: DataSource,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
    private readonly expiry: EndedStreamExpiryService,
    private readonly log: ChatLogRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sweep_streams', async () => {
      const { expiring, silent } = await this.sweep();
      if (expiring > 0) this.logger.warn(`${expiring} streams of ended chats had no expiry`);
      if (silent > 0) this.logger.log(`${silent} silent chats were checked for absent users`);
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
  async sweep(
    silentBefore = this.log.estimateRedisTimeMs() - SILENT_AFTER_MS,
  ): Promise<{ expiring: number; silent: number }> {
    const count = { expiring: 0, silent: 0 };
    for await (const keys of this.scanStreamKeys()) {
      const ttls = await this.readTtls(keys);
      const keysWithoutExpiry = keys.filter((_, index) => ttls[index] === NO_EXPIRY);
      const endedChatKeys = await this.findDurablyEnded(keysWithoutExpiry);
      await this.expire([...endedChatKeys], this.expiry.durationMs);
      count.expiring += endedChatKeys.size;
      const openChatKeys = keysWithoutExpiry.filter((key) => !endedChatKeys.has(key));
      for (const key of await this.findSilent(openChatKeys, silentBefore)) {
        await this.setDeadlinesOfAbsent(toSessionId(key));
        count.silent += 1;
      }
    }
    return count;
  }

  private async setDeadlinesOfAbsent(sessionId: string): Promise<void> {
    const { isEnded, userIds } = summariseChat(sessionId, await this.log.readEdges(sessionId));
    if (!isEnded && userIds.length > 0)
      await setDeadlines(this.redis, sessionId, userIds, this.environment.GRACE_AFTER_LOSS_MS);
  }

  /** The streams whose last entry is older than `before` (epoch ms). */
  private async findSilent(keys: readonly string[], before: number): Promise<string[]> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.xrevrange(key, '+', '-', 'COUNT', 1);
    const replies = (await pipeline.exec()) ?? [];
    return keys.filter((_, index) => {
      const [last] = (replies[index]?.[1] ?? []) as [id: string, fields: string[]][];
      return last !== undefined && parseInt(last[0], 10) < before;
    });
  }

  /** Shortens the expiry of streams that got the ordinary expiry before Redis filled up. */
  private async shortenWhileFull(): Promise<void> {
    const { durationMs } = this.expiry;
    if (!this.expiry.isShortened || this.isShortening) return;
    this.isShortening = true;
    try {
      for await (const keys of this.scanStreamKeys()) {
        const ttls = await this.readTtls(keys);
        await this.expire(
          keys.filter((_, index) => (ttls[index] ?? 0) > durationMs),
          durationMs,
        );
      }
    } catch (error) {
      logWarning(this.logger, 'The expiry of ended streams was not shortened', error);
    } finally {
      this.isShortening = false;
    }
  }

  private scanStreamKeys(): AsyncGenerator<string[], void> {
    return scanKeys(this.redis, chatStreams.pattern, SCAN_COUNT);
  }

  /** The streams whose end is in PostgreSQL. */
  private async findDurablyEnded(keys: readonly string[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.dataSource.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM events WHERE stream_id = ANY ($1) AND type = 'ChatEnded'`,
      [keys.map((key) => buildChatStreamId(toSessionId(key)))],
    );
    const endedStreamIds = new Set(rows.map(({ stream_id: streamId }) => streamId));
    return new Set(keys.filter((key) => endedStreamIds.has(buildChatStreamId(toSessionId(key)))));
  }

  private async expire(keys: readonly string[], expireMs: number): Promise<void> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.pexpire(key, expireMs);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  /** Remaining ms by key; `NO_EXPIRY` for a stream without an expiry. */
  private async readTtls(keys: readonly string[]): Promise<number[]> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.pttl(key);
    return ((await pipeline.exec()) ?? []).map(([, ttl]) => Number(ttl ?? NaN));
  }
}

const toSessionId = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
