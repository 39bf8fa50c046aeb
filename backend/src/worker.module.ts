import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { BlocksReadModelModule } from './modules/blocks/blocks-read-model.module';
import { FriendsReadModelModule } from './modules/friends/friends-read-model.module';
import { ImageBlocksModule } from './modules/image-blocks/image-blocks.module';
import { ModerationWorkerModule } from './modules/moderation/moderation-worker.module';
import { MyDataWorkerModule } from './modules/my-data/my-data-worker.module';
import { PrivateChatReadModelModule } from './modules/private-chat/private-chat-read-model.module';
import { ConductModule } from './modules/conduct/conduct.module';
import { TimeLimitsModule } from './modules/conduct/time-limits.module';
import { FindingsWorkerModule } from './modules/conduct/findings-worker.module';
import { EvidenceExpiryModule } from './modules/conduct/evidence-expiry.module';
import { RandomChatWorkerModule } from './modules/random-chat/random-chat-worker.module';
import { StandingsWorkerModule } from './modules/standings/standings-worker.module';
import { UploadsWorkerModule } from './modules/uploads/uploads-worker.module';
import { UsersReadModelModule } from './modules/users/users-read-model.module';
import { DatabaseModule } from './platform/database/database.module';
import { EventStoreModule } from './platform/event-store/event-store.module';
import { HealthModule } from './platform/health/health.module';
import { HotLogModule } from './platform/hot-log/hot-log.module';
import { LifecycleModule } from './platform/lifecycle/lifecycle.module';
import { ObservabilityModule } from './platform/observability/observability.module';
import { ProcessEventsModule } from './platform/process-events/process-events.module';
import { QueueModule } from './platform/queue/queue.module';
import { WorkerQueueModule } from './platform/queue/worker-queue.module';
import { MemoryValveModule } from './platform/redis/memory-valve.module';
import { RedisModule } from './platform/redis/redis.module';
import { StorageModule } from './platform/storage/storage.module';

/** All modules of a worker process. */
@Module({
  imports: [
    ObservabilityModule,
    LifecycleModule,
    ProcessEventsModule,
    DatabaseModule.forWorker(),
    RedisModule,
    MemoryValveModule,
    StorageModule,
    HealthModule,
    EventStoreModule,
    HotLogModule,
    QueueModule,
    WorkerQueueModule,

    UsersReadModelModule,
    BlocksReadModelModule,
    StandingsWorkerModule,
    ImageBlocksModule,
    ModerationWorkerModule,
    FriendsReadModelModule,
    PrivateChatReadModelModule,
    ConductModule,
    TimeLimitsModule,
    EvidenceExpiryModule,
    FindingsWorkerModule,
    RandomChatWorkerModule,
    UploadsWorkerModule,
    MyDataWorkerModule,
  ],
})
export class WorkerModule {
  static forRoot(environment: Environment): DynamicModule {
    return { module: WorkerModule, imports: [EnvironmentModule.forRoot(environment)] };
  }
}
