import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { BlocksReadModelModule } from './modules/blocks/blocks-read-model.module';
import { ImageBlocksModule } from './modules/image-blocks/image-blocks.module';
import { ModerationReadModelModule } from './modules/moderation/moderation-read-model.module';
import { ConductReadModelModule } from './modules/conduct/conduct-read-model.module';
import { FriendsReadModelModule } from './modules/friends/friends-read-model.module';
import { PrivateChatReadModelModule } from './modules/private-chat/private-chat-read-model.module';
import { RandomChatReadModelModule } from './modules/random-chat/random-chat-read-model.module';
import { StandingsReadModelModule } from './modules/standings/standings-read-model.module';
import { UploadRecordsModule } from './modules/uploads/upload-records.module';
import { UsersReadModelModule } from './modules/users/users-read-model.module';
import { DatabaseModule } from './platform/database/database.module';
import { EventStoreModule } from './platform/event-store/event-store.module';

/** All modules that a rebuild needs: the event log and every read model. */
@Module({
  imports: [
    // With the long time-outs for operators' commands, because a rebuild reads the whole event log.
    DatabaseModule.forOperator(),
    EventStoreModule,
    UsersReadModelModule,
    RandomChatReadModelModule,
    UploadRecordsModule,
    FriendsReadModelModule,
    PrivateChatReadModelModule,
    BlocksReadModelModule,
    ConductReadModelModule,
    StandingsReadModelModule,
    ImageBlocksModule,
    ModerationReadModelModule,
  ],
})
export class ReadModelsModule {
  static forRoot(environment: Environment): DynamicModule {
    return { module: ReadModelsModule, imports: [EnvironmentModule.forRoot(environment)] };
  }
}
