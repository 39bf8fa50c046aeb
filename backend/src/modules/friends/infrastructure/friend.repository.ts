import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { FriendRequestEntity } from './friend-request.entity';
import { FriendshipEntity } from './friendship.entity';

const pair = (userId: number, otherId: number): { lowId: number; highId: number } => ({
  lowId: Math.min(userId, otherId),
  highId: Math.max(userId, otherId),
});

/** Reads of the read models «friend_requests» and «friendships». Their only writer is the projection. */
@Injectable()
export class FriendRepository {
  constructor(
    @InjectRepository(FriendRequestEntity) private readonly requests: Repository<FriendRequestEntity>,
    @InjectRepository(FriendshipEntity) private readonly friendships: Repository<FriendshipEntity>,
  ) {}

  /** A number that no request has had or will have again. */
  async nextRequestId(): Promise<number> {
    const [row] = await this.requests.query<{ id: string }[]>(`SELECT nextval('friend_request_ids') AS id`);
    if (!row) throw new Error('The sequence of friend requests gave nothing');
    return Number(row.id);
  }

  findRequest(id: number): Promise<FriendRequestEntity | null> {
    return this.requests.findOneBy({ id });
  }

  /** Those that wait for the user's answer, oldest first. */
  pendingFor(addresseeId: number): Promise<FriendRequestEntity[]> {
    return this.requests.find({
      where: { addresseeId, status: 'pending', isHidden: false },
      order: { id: 'ASC' },
    });
  }

  /** Whether one of the two waits for an answer of the other, as far as the viewer knows. */
  hasPending(viewerId: number, otherId: number): Promise<boolean> {
    return this.requests.exists({
      where: [
        { requesterId: viewerId, addresseeId: otherId, status: 'pending' },
        { requesterId: otherId, addresseeId: viewerId, status: 'pending', isHidden: false },
      ],
    });
  }

  areFriends(userId: number, otherId: number): Promise<boolean> {
    return this.friendships.existsBy(pair(userId, otherId));
  }

  async friendIds(userId: number): Promise<readonly number[]> {
    return (await this.friendIdsOf([userId])).get(userId) ?? [];
  }

  /** The friends of each of the users who has any, in one query. */
  async friendIdsOf(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const rows = await this.friendships.query<{ user_id: string; friend_id: string }[]>(
      `SELECT low_id AS user_id, high_id AS friend_id FROM friendships WHERE low_id = ANY($1::bigint[])
       UNION ALL
       SELECT high_id, low_id FROM friendships WHERE high_id = ANY($1::bigint[])`,
      [userIds],
    );
    const friendIds = new Map<number, number[]>();
    for (const row of rows) {
      const [userId, friendId] = [Number(row.user_id), Number(row.friend_id)];
      const present = friendIds.get(userId);
      if (present) present.push(friendId);
      else friendIds.set(userId, [friendId]);
    }
    return friendIds;
  }
}
