import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { setChatDeadlines } from '../../../platform/hot-log/chat-presence.service';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { openBatch } from '../../../platform/redis/redis-nodes.functions';
import { chatStreams } from '../../../platform/redis/redis.keys';
import { summariseChat } from '../application/chat-summary.mapper';
import { buildChatStreamId } from '../domain/random-chat.events';
import { ChatStreamExpiryRepository, NO_EXPIRY } from '../infrastructure/chat-stream-expiry.repository';
import { EndedStreamExpiryService } from './ended-stream-expiry.service';

const SWEEP_EVERY_MS = 60 * 60_000;
/** An open chat without an event for this long is silent. */
const SILENT_AFTER_MS = 60 * 60_000;

/**
 * Sweeps chat streams that would otherwise stay in Redis forever, because a crash of Redis has lost its latest writes:
 * - If PostgreSQL has the end of a chat, but its stream has no expiry, the expiry was lost. The stream gets one again.
 * - If a chat is open, but has had no event for an hour, its end may have been lost, or the deadlines by which its
 *   absent users must return. They get a deadline again, after which a replica ends the chat.
 */
@Injectable()
export class ChatStreamSweepProcessor implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger(ChatStreamSweepProcessor.name);

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly dataSource: DataSource,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
    private readonly expiry: EndedStreamExpiryService,
    private readonly streamExpiries: ChatStreamExpiryRepository,
    private readonly chatLog: ChatLogRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sweep_streams', async () => {
      const { endedWithoutExpiry, silent } = await this.sweep();
      if (endedWithoutExpiry > 0)
        this.logger.warn(`${endedWithoutExpiry} streams of ended chats had no expiry`);
      if (silent > 0) this.logger.log(`${silent} silent chats were checked for absent users`);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('sweep_streams', {}, SWEEP_EVERY_MS);
  }

  /**
   * @param silentBefore an open chat is silent if its last event is older (epoch ms, by the clock of Redis).
   * @returns the number of ended chats whose streams had no expiry and got one, and the number of silent chats.
   */
  async sweep(
    silentBefore = this.chatLog.estimateRedisTimeMs() - SILENT_AFTER_MS,
  ): Promise<{ endedWithoutExpiry: number; silent: number }> {
    const counts = { endedWithoutExpiry: 0, silent: 0 };
    for await (const keys of this.streamExpiries.scanKeys()) {
      const ttls = await this.streamExpiries.readTtls(keys);
      const keysWithoutExpiry = keys.filter((_, index) => ttls[index] === NO_EXPIRY);
      const endedChatKeys = await this.findKeysOfEndedChats(keysWithoutExpiry);
      await this.streamExpiries.expire([...endedChatKeys], this.expiry.durationMs);
      counts.endedWithoutExpiry += endedChatKeys.size;
      const openChatKeys = keysWithoutExpiry.filter((key) => !endedChatKeys.has(key));
      for (const key of await this.findKeysOfSilentChats(openChatKeys, silentBefore)) {
        await this.setDeadlinesOfAbsentUsers(chatStreams.parseSessionId(key));
        counts.silent += 1;
      }
    }
    return counts;
  }

  /** `setChatDeadlines` ignores users who are in the chat. */
  private async setDeadlinesOfAbsentUsers(sessionId: string): Promise<void> {
    const { isEnded, userIds } = summariseChat(sessionId, await this.chatLog.readFirstAndLast(sessionId));
    if (!isEnded && userIds.length > 0)
      await setChatDeadlines(this.redis, sessionId, userIds, this.environment.GRACE_AFTER_LOSS_MS);
  }

  /** The keys of streams whose last entry is older than `silentBefore`. A stream that cannot be read is left out. */
  private async findKeysOfSilentChats(keys: readonly string[], silentBefore: number): Promise<string[]> {
    const pipeline = openBatch(this.redis);
    for (const key of keys) pipeline.xrevrange(key, '+', '-', 'COUNT', 1);
    const replies = (await pipeline.exec()) ?? [];
    return keys.filter((_, index) => {
      const [last] = (replies[index]?.[1] ?? []) as [id: string, fields: string[]][];
      // The id of an entry begins with its time in ms.
      return last !== undefined && parseInt(last[0], 10) < silentBefore;
    });
  }

  /** The keys of streams whose `ChatEnded` event is in PostgreSQL. */
  private async findKeysOfEndedChats(keys: readonly string[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.dataSource.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM events WHERE stream_id = ANY ($1) AND type = 'ChatEnded'`,
      [keys.map((key) => buildChatStreamId(chatStreams.parseSessionId(key)))],
    );
    const endedStreamIds = new Set(rows.map(({ stream_id: streamId }) => streamId));
    return new Set(
      keys.filter((key) => endedStreamIds.has(buildChatStreamId(chatStreams.parseSessionId(key)))),
    );
  }
}
