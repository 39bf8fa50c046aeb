import { Module } from '@nestjs/common';
import { OnlineUsers } from '../../platform/realtime/online-users';
import { Friendships } from '../friends/application/friendships';
import { FriendsModule } from '../friends/friends.module';
import { Acquaintances } from '../random-chat/application/acquaintances';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { Presence } from '../users/application/presence';
import { UsersModule } from '../users/users.module';

/** Whom presence is told: friends hear of every change, they and the partner of a chat may ask. */
@Module({ imports: [FriendsModule, RandomChatModule, UsersModule] })
export class PresenceModule {
  constructor(
    online: OnlineUsers,
    presence: Presence,
    friendships: Friendships,
    acquaintances: Acquaintances,
  ) {
    online.onChanged(async (userId) => online.tell(userId, await friendships.friendIds(userId)));
    presence.answerWith(async (viewerId, userId) => {
      const mayKnow =
        (await friendships.areFriends(viewerId, userId)) ||
        (await acquaintances.arePartners(viewerId, userId).catch(() => false)); // Redis is away
      return mayKnow && (await online.among([userId])).has(userId);
    });
  }
}
