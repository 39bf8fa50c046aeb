import { Global, Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { FriendsModule } from '../friends/friends.module';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { USER_RELATIONS } from '../users/application/user-relations.port';
import { UserRelationsService } from './application/user-relations.service';

/**
 * Global, because modules that use `USER_RELATIONS` cannot import this module: it imports the modules of friends and
 * random chats, which depend on them.
 */
@Global()
@Module({
  imports: [BlocksReadModelModule, FriendsModule, RandomChatModule],
  providers: [UserRelationsService, { provide: USER_RELATIONS, useExisting: UserRelationsService }],
  exports: [USER_RELATIONS],
})
export class PresenceModule {}
