import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { PrivateChatReadModelModule } from '../private-chat/private-chat-read-model.module';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { UsersModule } from '../users/users.module';
import { FriendsService } from './application/friends.service';
import { FriendshipLookupService } from './application/friendship-lookup.service';
import { FriendsReadModelModule } from './friends-read-model.module';
import { FriendRepository } from './infrastructure/friend.repository';
import { FriendsController } from './transport/friends.controller';

@Module({
  imports: [
    BlocksReadModelModule,
    FriendsReadModelModule,
    PrivateChatReadModelModule,
    UsersModule,
    RandomChatModule,
  ],
  controllers: [FriendsController],
  providers: [FriendRepository, FriendsService, FriendshipLookupService],
  exports: [FriendshipLookupService],
})
export class FriendsModule {}
