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

/** Provides what draining Redis needs: emptying it before a release that changes the layout of its keys. */
@Module({})
export class DrainModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  static forRoot(settings: RedisSettings): DynamicModule {
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
