import { Injectable } from '@nestjs/common';
import { FriendRepository } from '../infrastructure/friend.repository';

/** Who is whose friend, for other modules to ask. */
@Injectable()
export class FriendshipService {
  /**
   * A FROM item for a statement: one row when two users, given as bigint expressions, are friends, held until the
   * transaction ends. Whoever takes it comes one after the other with everybody who writes between these two, a removal
   * of the friendship included.
   */
  static lockedFriendshipSql(userId: string, otherId: string): string {
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

  /** Whether one of the two has asked the other to be friends and is not answered yet. */
  hasPendingRequest(userId: number, otherId: number): Promise<boolean> {
    return this.friends.hasPending(userId, otherId);
  }

  friendIds(userId: number): Promise<readonly number[]> {
    return this.friends.friendIds(userId);
  }

  /** The friends of each of the users who has any. */
  friendIdsOf(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    return this.friends.friendIdsOf(userIds);
  }
}
