import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { FriendshipErasureService } from './application/friendship-erasure.service';
import { FriendsReadModelModule } from './friends-read-model.module';
import { FriendRepository } from './infrastructure/friend.repository';

/** Ends the friendships of users whose data is being erased; used by the worker. */
@Module({
  imports: [FriendsReadModelModule, UserPublisherModule],
  providers: [FriendRepository, FriendshipErasureService],
  exports: [FriendshipErasureService],
})
export class FriendshipErasureModule {}
