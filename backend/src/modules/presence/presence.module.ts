import { Global, Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { FriendsModule } from '../friends/friends.module';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { USER_RELATIONS } from '../users/application/user-relations.port';
import { UserRelationsService } from './application/user-relations.service';

/**
 * Provides `USER_RELATIONS`, which decides who may see a user's presence and profile. Global, because an import of this
 * module would be circular: it imports `FriendsModule` and `RandomChatModule`, which depend on the modules that use
 * `USER_RELATIONS`.
 */
@Global()
@Module({
  imports: [BlocksReadModelModule, FriendsModule, RandomChatModule],
  providers: [UserRelationsService, { provide: USER_RELATIONS, useExisting: UserRelationsService }],
  exports: [USER_RELATIONS],
})
export class PresenceModule {}
