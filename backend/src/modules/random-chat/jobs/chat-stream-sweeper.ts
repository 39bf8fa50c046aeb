import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { JobHandlers } from '../../../platform/queue/job-handlers';
import { JobQueue } from '../../../platform/queue/job-queue';
import { REDIS } from '../../../platform/redis/redis.module';
import { allChatStreams } from '../../../platform/redis/redis-keys';
import { chatStream } from '../domain/chat-stream';
import { ENDED_STREAM_EXPIRES_MS } from './outbox-writer.service';

const SWEEP_EVERY_MS = 60 * 60_000;
const SCAN_COUNT = 500;

/**
 * Gives the streams of chats whose end is durable their expiry, where it was lost: with the last second of Redis, or
 * because the end was once a dead letter. Without it such a stream would stay in Redis until it is removed by hand.
 */
@Injectable()
export class EndedStreamSweeper implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger(EndedStreamSweeper.name);

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly dataSource: DataSource,
    private readonly handlers: JobHandlers,
    private readonly jobs: JobQueue,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sweep_streams', async () => {
      const count = await this.sweep();
      if (count > 0) this.logger.warn(`${count} streams of ended chats had no expiry`);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('sweep_streams', {}, SWEEP_EVERY_MS);
  }

  /** @returns the number of streams that now expire. */
  async sweep(): Promise<number> {
    let count = 0;
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', allChatStreams, 'COUNT', SCAN_COUNT);
      count += await this.expireEnded(keys);
      cursor = next;
    } while (cursor !== '0');
    return count;
  }

  private async expireEnded(keys: readonly string[]): Promise<number> {
    const lasting = await this.withoutExpiry(keys);
    if (lasting.length === 0) return 0;
    const sessionOf = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
    const rows = await this.dataSource.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM events WHERE stream_id = ANY ($1) AND type = 'ChatEnded'`,
      [lasting.map((key) => chatStream(sessionOf(key)))],
    );
    const ended = new Set(rows.map(({ stream_id: streamId }) => streamId));
    const pipeline = this.redis.pipeline();
    const expiring = lasting.filter((key) => ended.has(chatStream(sessionOf(key))));
    for (const key of expiring) pipeline.pexpire(key, ENDED_STREAM_EXPIRES_MS);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    return expiring.length;
  }

  private async withoutExpiry(keys: readonly string[]): Promise<string[]> {
    if (keys.length === 0) return [];
    const pipeline = this.redis.pipeline();
    for (const key of keys) pipeline.pttl(key);
    const replies = (await pipeline.exec()) ?? [];
    return keys.filter((_, index) => replies[index]?.[1] === -1);
  }
}
