import { Injectable } from '@nestjs/common';
import { FriendRepository } from '../infrastructure/friend.repository';

/** Friendship queries for other modules. */
@Injectable()
export class FriendshipService {
  /**
   * A FROM item with one row if two users, given as bigint expressions, are friends. The row is locked until the end of
   * the transaction, which serializes it with every other writer between the two, including a removal of the
   * friendship.
   */
  static buildLockedFriendshipSql(userId: string, otherId: string): string {
    return `(
    SELECT low_id, high_id FROM friendships
    WHERE low_id = LEAST(${userId}, ${otherId}) AND high_id = GREATEST(${userId}, ${otherId})
    FOR NO KEY UPDATE
  )`;
  }

  constructor(private readonly friends: FriendRepository) {}

  areFriends(userId: number, otherId: number): Promise<boolean> {
    return this.friends.areFriends(userId, otherId);
  }

  /** Whether one of the two has sent the other a friend request that is not answered yet. */
  hasPendingRequest(userId: number, otherId: number): Promise<boolean> {
    return this.friends.hasPendingRequest(userId, otherId);
  }

  /** Whether a friendship of the two, or a request between them that the viewer knew of, was ended since then. */
  haveSeparatedSince(viewerId: number, otherId: number, since: Date): Promise<boolean> {
    return this.friends.haveSeparatedSince(viewerId, otherId, since);
  }

  findFriendIds(userId: number): Promise<readonly number[]> {
    return this.friends.findFriendIds(userId);
  }

  /** The friends of each user who has any, by user id. */
  findFriendIdsByUser(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    return this.friends.findFriendIdsByUser(userIds);
  }
}
