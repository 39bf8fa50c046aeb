import { Injectable } from '@nestjs/common';
import { FriendRepository } from '../infrastructure/friend.repository';

/** Friendship queries for other modules. */
@Injectable()
export class FriendshipService {
  /**
   * Builds a FROM item that has one row if two users are friends, and locks that row until the end of the transaction.
   * The lock serializes the transaction with every other writer between the two, including a removal of the friendship.
   * @param userIdSql a bigint expression, like `otherIdSql`
   */
  static buildLockedFriendshipSql(userIdSql: string, otherIdSql: string): string {
    return `(
    SELECT low_id, high_id FROM friendships
    WHERE low_id = LEAST(${userIdSql}, ${otherIdSql}) AND high_id = GREATEST(${userIdSql}, ${otherIdSql})
    FOR NO KEY UPDATE
  )`;
  }

  constructor(private readonly friends: FriendRepository) {}

  areFriends(userId: number, otherId: number): Promise<boolean> {
    return this.friends.areFriends(userId, otherId);
  }

  /**
   * Whether a friend request between the two is not answered yet. A request to the viewer that is hidden from them does
   * not count.
   */
  hasPendingRequest(viewerId: number, otherId: number): Promise<boolean> {
    return this.friends.hasPendingRequest(viewerId, otherId);
  }

  /** Whether, after `since`, a friendship of the two ended, or a request that the viewer could see was voided. */
  haveSeparatedSince(viewerId: number, otherId: number, since: Date): Promise<boolean> {
    return this.friends.haveSeparatedSince(viewerId, otherId, since);
  }

  findFriendIds(userId: number): Promise<readonly number[]> {
    return this.friends.findFriendIds(userId);
  }

  /** The ids of each user's friends, by user id. Users without friends are absent. */
  findFriendIdsByUser(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    return this.friends.findFriendIdsByUser(userIds);
  }
}
