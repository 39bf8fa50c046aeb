import { Module } from '@nestjs/common';
import { PrivateChatReadModelModule } from '../private-chat/private-chat-read-model.module';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { UsersModule } from '../users/users.module';
import { FriendsService } from './application/friends.service';
import { Friendships } from './application/friendships';
import { FriendsReadModelModule } from './friends-read-model.module';
import { FriendRepository } from './infrastructure/friend.repository';
import { FriendsController } from './transport/friends.controller';

@Module({
  imports: [FriendsReadModelModule, PrivateChatReadModelModule, UsersModule, RandomChatModule],
  controllers: [FriendsController],
  providers: [FriendRepository, FriendsService, Friendships],
  exports: [Friendships],
})
export class FriendsModule {}
