import { Module } from '@nestjs/common';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { ProfileAccess } from '../users/application/profile-access';
import { UsersService } from '../users/application/users.service';
import { UsersModule } from '../users/users.module';
import { FriendsService } from './application/friends.service';
import { Friendships } from './application/friendships';
import { FriendsReadModelModule } from './friends-read-model.module';
import { FriendRepository } from './infrastructure/friend.repository';
import { FriendsController } from './transport/friends.controller';

@Module({
  imports: [FriendsReadModelModule, UsersModule, RandomChatModule],
  controllers: [FriendsController],
  providers: [FriendRepository, FriendsService, Friendships],
  exports: [Friendships],
})
export class FriendsModule {
  constructor(
    access: ProfileAccess,
    friends: FriendRepository,
    users: UsersService,
    service: FriendsService,
  ) {
    users.onProfileChanged((profile) => service.announceProfile(profile));
    access.register((viewerId, userId) => friends.areFriends(viewerId, userId));
    access.register((viewerId, userId) => friends.hasPending(viewerId, userId));
  }
}
