import { Injectable } from '@nestjs/common';
import { FriendRepository } from '../infrastructure/friend.repository';

/** Friendship queries for other modules. */
@Injectable()
export class FriendshipLookupService {
  /**
   * Builds a FROM item that has one row if two users are friends, and locks that row until the end of the transaction.
   * Every other transaction that locks or deletes the row waits, such as a removal of the friendship.
   * @param userIdSql SQL expression of type bigint
   * @param otherIdSql SQL expression of type bigint
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
   * Whether a friend request between the two is not answered yet. A request that is hidden from the viewer, because it
   * was sent within a day of a decline, does not count.
   */
  hasPendingRequest(viewerId: number, otherId: number): Promise<boolean> {
    return this.friends.hasPendingRequest(viewerId, otherId);
  }

  /**
   * Whether, after `since`, a friendship of the two ended, or a request that the viewer could see was voided: it ended
   * without an answer, for example because of a block.
   */
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
