import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { FriendshipEvent } from '../domain/friendship.events';
import { FriendRequestEntity } from '../infrastructure/friend-request.entity';
import { FriendshipEntity, toFriendshipKey } from '../infrastructure/friendship.entity';

const types: readonly FriendshipEvent['type'][] = [
  'FriendRequestSent',
  'FriendRequestAccepted',
  'FriendRequestDeclined',
  'FriendRequestVoided',
  'FriendshipRemoved',
];

export const friendshipEventTypes: readonly EventTypeDefinition[] = types.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: [],
}));

type StoredFriendshipEvent = StoredEvent & FriendshipEvent;

const project = async (event: StoredFriendshipEvent, manager: EntityManager): Promise<void> => {
  switch (event.type) {
    case 'FriendRequestSent': {
      const { requestId: id, requesterId, addresseeId, isHidden } = event.data;
      // Replaces an earlier request that is hidden from the addressee, who therefore cannot answer it.
      await manager.delete(FriendRequestEntity, { requesterId, addresseeId, status: 'pending' });
      await manager.insert(FriendRequestEntity, {
        id,
        requesterId,
        addresseeId,
        status: 'pending',
        isHidden,
        createdAt: event.occurredAt,
      });
      return;
    }
    case 'FriendRequestAccepted': {
      const { requestId, requesterId, addresseeId } = event.data;
      await manager.update(FriendRequestEntity, requestId, { status: 'accepted' });
      await manager.insert(FriendshipEntity, {
        ...toFriendshipKey(requesterId, addresseeId),
        createdAt: event.occurredAt,
      });
      return;
    }
    case 'FriendRequestDeclined':
      await manager.update(FriendRequestEntity, event.data.requestId, { status: 'declined' });
      return;
    case 'FriendRequestVoided':
      // It has ended without an answer, for example by a block, so it keeps no row.
      await manager.delete(FriendRequestEntity, event.data.requestId);
      return;
    case 'FriendshipRemoved':
      await manager.delete(
        FriendshipEntity,
        toFriendshipKey(event.data.removedBy, event.data.removedFriendId),
      );
      return;
    default:
      return event satisfies never;
  }
};

export const friendsProjection: Projection = {
  name: 'friends',
  tables: ['friend_requests', 'friendships'],
  handles: types,
  async apply(events, manager) {
    for (const event of events) await project(event as StoredFriendshipEvent, manager);
  },
};
