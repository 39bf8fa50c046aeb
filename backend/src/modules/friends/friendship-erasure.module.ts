import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { FriendshipErasureService } from './application/friendship-erasure.service';
import { FriendsReadModelModule } from './friends-read-model.module';
import { FriendRepository } from './infrastructure/friend.repository';

/** What the worker does with the friendships of users who are erased. */
@Module({
  imports: [FriendsReadModelModule, UserPublisherModule],
  providers: [FriendRepository, FriendshipErasureService],
  exports: [FriendshipErasureService],
})
export class FriendshipErasureModule {}
