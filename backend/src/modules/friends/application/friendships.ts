import { Injectable } from '@nestjs/common';
import { FriendRepository } from '../infrastructure/friend.repository';

/** Who is whose friend, for other modules to ask. */
@Injectable()
export class Friendships {
  /**
   * A FROM item for a statement inside a transaction: one row when users $1 and $2 are friends, held until the
   * transaction ends. Whoever takes it comes one after the other with everybody who writes between these two, a
   * removal of the friendship included.
   */
  static readonly held = `(
    SELECT low_id, high_id FROM friendships
    WHERE low_id = LEAST($1::bigint, $2::bigint) AND high_id = GREATEST($1::bigint, $2::bigint)
    FOR NO KEY UPDATE
  )`;

  constructor(private readonly friends: FriendRepository) {}

  areFriends(userId: number, otherId: number): Promise<boolean> {
    return this.friends.areFriends(userId, otherId);
  }

  friendIds(userId: number): Promise<number[]> {
    return this.friends.friendIds(userId);
  }
}
