import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { ChatStreamExpiryRepository } from '../infrastructure/chat-stream-expiry.repository';
import { EndedStreamExpiryService } from './ended-stream-expiry.service';

const SHORTEN_EVERY_MS = 10_000;

/** While Redis is short of memory, shortens the expiries of streams that were given the ordinary one before. */
@Injectable()
export class ExpiryShorteningService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ExpiryShorteningService.name);
  private timer: NodeJS.Timeout | undefined;
  private isRunning = false;

  constructor(
    private readonly expiry: EndedStreamExpiryService,
    private readonly streamExpiries: ChatStreamExpiryRepository,
  ) {}

  onApplicationBootstrap(): void {
    // A timer instead of a job, since a full Redis accepts no jobs.
    this.timer = setInterval(() => void this.shortenIfNeeded(), SHORTEN_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async shortenIfNeeded(): Promise<void> {
    if (!this.expiry.isRedisShortOfMemory || this.isRunning) return;
    const shortenedMs = this.expiry.durationMs;
    this.isRunning = true;
    try {
      for await (const keys of this.streamExpiries.scanKeys()) {
        const ttls = await this.streamExpiries.readTtls(keys);
        const keysWithLongerExpiry = keys.filter((_, index) => (ttls[index] ?? 0) > shortenedMs);
        await this.streamExpiries.expire(keysWithLongerExpiry, shortenedMs);
      }
    } catch (error) {
      logWarning(this.logger, 'The expiry of ended streams was not shortened', error);
    } finally {
      this.isRunning = false;
    }
  }
}
