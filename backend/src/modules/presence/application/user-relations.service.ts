import { Injectable } from '@nestjs/common';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { OnlineUsersService } from '../../../platform/realtime/online-users.service';
import { FriendshipService } from '../../friends/application/friendship.service';
import { PastPartnersService } from '../../random-chat/application/past-partners.service';
import type { UserRelationsPort } from '../../users/application/user-relations.port';

/** Decides who may see a user's profile and online state, and publishes online changes to friends. */
@Injectable()
export class UserRelationsService implements UserRelationsPort {
  constructor(
    private readonly online: OnlineUsersService,
    private readonly friendships: FriendshipService,
    private readonly pastPartners: PastPartnersService,
  ) {}

  async mayReadProfile(viewerId: number, userId: number): Promise<boolean> {
    return (
      (await this.pastPartners.haveChatted(viewerId, userId)) ||
      (await this.friendships.areFriends(viewerId, userId)) ||
      this.friendships.hasPendingRequest(viewerId, userId)
    );
  }

  async isSeenOnline(viewerId: number, userId: number): Promise<boolean> {
    const mayKnow =
      (await this.friendships.areFriends(viewerId, userId)) ||
      (await this.pastPartners.arePartners(viewerId, userId).catch(() => false)); // Redis is unreachable
    return mayKnow && (await this.online.findOnlineAmong([userId])).has(userId);
  }

  @OnProcessEvent('OnlineChanged')
  async publishToFriends({ userIds }: ProcessEventMap['OnlineChanged']): Promise<void> {
    for (const [userId, friendIds] of await this.friendships.friendIdsOf(userIds))
      await this.online.publishPresence(userId, friendIds);
  }
}
