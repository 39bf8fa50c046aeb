import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Environment } from './config/environment.config';
import { RedisDrainService } from './modules/random-chat/jobs/redis-drain.service';
import { ChatLogRepository } from './platform/hot-log/chat-log.repository';
import { OutboxRepository } from './platform/hot-log/outbox.repository';
import { ProcessEventsModule } from './platform/process-events/process-events.module';
import { connectRedis, REDIS } from './platform/redis/redis.module';

const COMMAND_TIMEOUT_MS = 10_000;

/** All modules needed to drain Redis. */
@Module({})
export class DrainModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  static forRoot({ REDIS_URL }: Pick<Environment, 'REDIS_URL'>): DynamicModule {
    const redis = connectRedis(REDIS_URL, { enableOfflineQueue: true, commandTimeout: COMMAND_TIMEOUT_MS });
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
