import { Injectable } from '@nestjs/common';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { OnlineUsersService } from '../../../platform/realtime/online-users.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { FriendshipLookupService } from '../../friends/application/friendship-lookup.service';
import { PastPartnersService } from '../../random-chat/application/past-partners.service';
import type { UserRelationsPort } from '../../users/application/user-relations.port';

/** Decides who may see a user's profile and online state, and publishes online changes to friends. */
@Injectable()
export class UserRelationsService implements UserRelationsPort {
  constructor(
    private readonly online: OnlineUsersService,
    private readonly friendships: FriendshipLookupService,
    private readonly pastPartners: PastPartnersService,
    private readonly blockList: BlockListService,
  ) {}

  async areAcquainted(userId: number, otherId: number): Promise<boolean> {
    return (
      (await this.pastPartners.haveChatted(userId, otherId)) ||
      (await this.friendships.areFriends(userId, otherId)) ||
      this.friendships.hasPendingRequest(userId, otherId)
    );
  }

  async mayReadProfile(viewerId: number, userId: number): Promise<boolean> {
    if (await this.blockList.hasBlocked(userId, viewerId)) return false;
    // A user may read the profile of a user whom they have blocked, even if the two are no longer acquainted because
    // the block has cancelled a pending friend request.
    return (
      (await this.areAcquainted(viewerId, userId)) || (await this.blockList.hasBlocked(viewerId, userId))
    );
  }

  async isSeenOnline(viewerId: number, userId: number): Promise<boolean> {
    if (await this.blockList.isBlockedEitherWay(viewerId, userId)) return false;
    const mayKnow =
      (await this.friendships.areFriends(viewerId, userId)) ||
      // While Redis is unreachable, it is unknown whether the two are in a chat: the user is not shown as online.
      (await this.pastPartners.areInChatNow(viewerId, userId).catch(() => false));
    return mayKnow && (await this.online.findOnlineAmong([userId])).has(userId);
  }

  @OnProcessEvent('OnlineChanged')
  async publishToFriends({ userIds }: ProcessEventMap['OnlineChanged']): Promise<void> {
    for (const [userId, friendIds] of await this.friendships.findFriendIdsByUser(userIds))
      await this.online.publishPresence(userId, friendIds);
  }
}
