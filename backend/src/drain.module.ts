import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RedisDrainService } from './modules/random-chat/jobs/redis-drain.service';
import { ChatLogRepository } from './platform/hot-log/chat-log.repository';
import { OutboxRepository } from './platform/hot-log/outbox.repository';
import { ProcessEventsModule } from './platform/process-events/process-events.module';
import {
  connectRedis,
  type RedisClient,
  type RedisSettings,
} from './platform/redis/redis-connection.factory';
import { REDIS } from './platform/redis/redis.module';

const COMMAND_TIMEOUT_MS = 10_000;

/** Provides `RedisDrainService`, which empties Redis before a release that changes its layout (keys and values). */
@Module({})
export class DrainModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  static forRoot(settings: RedisSettings): DynamicModule {
    // No request of a user waits for the drain, so its commands wait for a reconnection instead of failing at once.
    const redis = connectRedis(settings, { enableOfflineQueue: true, commandTimeout: COMMAND_TIMEOUT_MS });
    return {
      module: DrainModule,
      imports: [ProcessEventsModule],
      providers: [
        { provide: REDIS, useValue: redis },
        ChatLogRepository,
        OutboxRepository,
        RedisDrainService,
      ],
    };
  }
}
