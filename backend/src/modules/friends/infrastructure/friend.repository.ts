import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { buildFriendshipStreamId } from '../domain/friendship.events';
import { FriendRequestEntity } from './friend-request.entity';
import { FriendshipEntity, toFriendshipKey } from './friendship.entity';

/**
 * Queries of the read models `friend_requests` and `friendships`, which only the projection writes. A hidden request is
 * one that its addressee never sees (`FriendRequestEntity.isHidden`).
 */
@Injectable()
export class FriendRepository {
  constructor(
    @InjectRepository(FriendRequestEntity) private readonly requests: Repository<FriendRequestEntity>,
    @InjectRepository(FriendshipEntity) private readonly friendships: Repository<FriendshipEntity>,
  ) {}

  /** A request id that has never been used and will not be assigned again. */
  async allocateRequestId(): Promise<number> {
    const [row] = await this.requests.query<{ id: string }[]>(`SELECT nextval('friend_request_ids') AS id`);
    if (!row) throw new Error('The sequence of friend requests returned no row');
    return Number(row.id);
  }

  findRequest(id: number): Promise<FriendRequestEntity | null> {
    return this.requests.findOneBy({ id });
  }

  /** Requests that wait for the addressee's answer, oldest first, without hidden ones. */
  findPendingRequests(addresseeId: number): Promise<FriendRequestEntity[]> {
    return this.requests.find({
      where: { addresseeId, status: 'pending', isHidden: false },
      order: { id: 'ASC' },
    });
  }

  /** Whether a request between the two is pending. A hidden request to the viewer does not count. */
  hasPendingRequest(viewerId: number, otherId: number): Promise<boolean> {
    return this.requests.exists({
      where: [
        { requesterId: viewerId, addresseeId: otherId, status: 'pending' },
        { requesterId: otherId, addresseeId: viewerId, status: 'pending', isHidden: false },
      ],
    });
  }

  /** Ids of the user's friends, and of users with whom a request is pending, hidden or not: erasure ends them all. */
  async findRelatedIds(userId: number): Promise<number[]> {
    const rows = await this.requests.query<{ other_id: string }[]>(
      `SELECT high_id AS other_id FROM friendships WHERE low_id = $1
       UNION SELECT low_id FROM friendships WHERE high_id = $1
       UNION SELECT addressee_id FROM friend_requests WHERE requester_id = $1 AND status = 'pending'
       UNION SELECT requester_id FROM friend_requests WHERE addressee_id = $1 AND status = 'pending'`,
      [userId],
    );
    return rows.map((row) => Number(row.other_id));
  }

  areFriends(userId: number, otherId: number): Promise<boolean> {
    return this.friendships.existsBy(toFriendshipKey(userId, otherId));
  }

  /**
   * Whether, at or after `since`, a friendship of the two ended, or a request between them was voided: it ended without
   * an answer, for example because of a block. A hidden request to the viewer does not count.
   */
  async haveSeparatedSince(viewerId: number, otherId: number, since: Date): Promise<boolean> {
    const rows = await this.friendships.query<unknown[]>(
      `SELECT 1 FROM events AS ended
       WHERE stream_id = $1 AND occurred_at >= $3
         AND (
           type = 'FriendshipRemoved'
           OR (type = 'FriendRequestVoided' AND NOT EXISTS (
             SELECT 1 FROM events AS hidden
             WHERE hidden.stream_id = ended.stream_id AND hidden.type = 'FriendRequestSent'
               AND hidden.data->'requestId' = ended.data->'requestId'
               AND (hidden.data->>'isHidden')::boolean
               AND (hidden.data->>'requesterId')::bigint <> $2
           ))
         )
       LIMIT 1`,
      [buildFriendshipStreamId(viewerId, otherId), viewerId, since],
    );
    return rows.length > 0;
  }

  async findFriendIds(userId: number): Promise<readonly number[]> {
    return (await this.findFriendIdsByUser([userId])).get(userId) ?? [];
  }

  /** The ids of each user's friends, by user id; one query. Users without friends are absent. */
  async findFriendIdsByUser(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const rows = await this.friendships.query<{ user_id: string; friend_id: string }[]>(
      `SELECT low_id AS user_id, high_id AS friend_id FROM friendships WHERE low_id = ANY($1::bigint[])
       UNION ALL
       SELECT high_id, low_id FROM friendships WHERE high_id = ANY($1::bigint[])`,
      [userIds],
    );
    const friendIdsByUser = new Map<number, number[]>();
    for (const row of rows) {
      const [userId, friendId] = [Number(row.user_id), Number(row.friend_id)];
      const friendIds = friendIdsByUser.get(userId);
      if (friendIds) friendIds.push(friendId);
      else friendIdsByUser.set(userId, [friendId]);
    }
    return friendIdsByUser;
  }
}
