import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { AuthModule } from './modules/auth/auth.module';
import { BlocksModule } from './modules/blocks/blocks.module';
import { ConductModule } from './modules/conduct/conduct.module';
import { NoticesModule } from './modules/conduct/notices.module';
import { ReportsModule } from './modules/conduct/reports.module';
import { FriendsModule } from './modules/friends/friends.module';
import { MatchingModule } from './modules/matching/matching.module';
import { MyDataModule } from './modules/my-data/my-data.module';
import { ModerationModule } from './modules/moderation/moderation.module';
import { PresenceModule } from './modules/presence/presence.module';
import { PrivateChatModule } from './modules/private-chat/private-chat.module';
import { RandomChatModule } from './modules/random-chat/random-chat.module';
import { StandingsModule } from './modules/standings/standings.module';
import { SuggestionsModule } from './modules/suggestions/suggestions.module';
import { UploadsModule } from './modules/uploads/uploads.module';
import { UsersModule } from './modules/users/users.module';
import { DatabaseModule } from './platform/database/database.module';
import { EventStoreModule } from './platform/event-store/event-store.module';
import { HealthModule } from './platform/health/health.module';
import { HotLogModule } from './platform/hot-log/hot-log.module';
import { HttpModule } from './platform/http/http.module';
import { LifecycleModule } from './platform/lifecycle/lifecycle.module';
import { ObservabilityModule } from './platform/observability/observability.module';
import { ProcessEventsModule } from './platform/process-events/process-events.module';
import { QueueModule } from './platform/queue/queue.module';
import { RateLimitModule } from './platform/rate-limit/rate-limit.module';
import { OnlineUsersModule } from './platform/realtime/online-users.module';
import { RealtimeModule } from './platform/realtime/realtime.module';
import { MemoryValveModule } from './platform/redis/memory-valve.module';
import { RedisModule } from './platform/redis/redis.module';
import { StorageModule } from './platform/storage/storage.module';

/** All modules of an api replica. */
@Module({
  imports: [
    ObservabilityModule,
    LifecycleModule,
    ProcessEventsModule.withCompletenessCheck(), // start-up fails when a process event has no handler
    DatabaseModule.forRoot(),
    RedisModule,
    MemoryValveModule,
    StorageModule,
    HealthModule,
    RateLimitModule,
    EventStoreModule,
    HotLogModule,
    QueueModule,
    RealtimeModule.forRoot({ identities: AuthModule }),
    OnlineUsersModule,
    HttpModule,

    StandingsModule,
    UsersModule,
    AuthModule,
    MatchingModule,
    RandomChatModule,
    UploadsModule,
    FriendsModule,
    PresenceModule,
    PrivateChatModule,
    BlocksModule,
    ModerationModule,
    ConductModule,
    NoticesModule,
    ReportsModule,
    MyDataModule,
    SuggestionsModule,
  ],
})
export class ApiModule {
  static forRoot(environment: Environment): DynamicModule {
    return { module: ApiModule, imports: [EnvironmentModule.forRoot(environment)] };
  }
}
