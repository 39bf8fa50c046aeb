import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { FriendRequestEntity } from './infrastructure/friend-request.entity';
import { FriendshipEntity } from './infrastructure/friendship.entity';
import { friendsProjection, friendshipEventTypes } from './projections/friends.projection';

/** Event types, projection and tables of friendships, for every process that reads or writes the event log. */
@Module({
  imports: [TypeOrmModule.forFeature([FriendRequestEntity, FriendshipEntity])],
  exports: [TypeOrmModule],
})
export class FriendsReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(friendshipEventTypes);
    projections.register(friendsProjection);
  }
}
