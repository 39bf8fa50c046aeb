import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypes } from '../../platform/event-store/event-types';
import { Projections } from '../../platform/event-store/projection';
import { FriendRequestEntity } from './infrastructure/friend-request.entity';
import { FriendshipEntity } from './infrastructure/friendship.entity';
import { friendsProjection, friendshipEventTypes } from './projections/friends.projection';

/** What has to be there wherever the log is read or written: the event types of friendships, and their tables. */
@Module({
  imports: [TypeOrmModule.forFeature([FriendRequestEntity, FriendshipEntity])],
  exports: [TypeOrmModule],
})
export class FriendsReadModelModule {
  constructor(eventTypes: EventTypes, projections: Projections) {
    eventTypes.register(friendshipEventTypes);
    projections.register(friendsProjection);
  }
}
