import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { friendshipDecider } from '../domain/friendship.decider';
import { type FriendshipEvent, buildFriendshipStreamId } from '../domain/friendship.events';
import { FriendRepository } from '../infrastructure/friend.repository';

/** What was ended: a friendship or a pending request. The values are names of the counts that an erasure records. */
export type EndedRelation = 'friendships' | 'requests';
type RecordEnd = (ended: EndedRelation, manager: EntityManager) => Promise<void>;

/** Ends the friendships and requests of a user whose data is being erased. */
@Injectable()
export class FriendshipErasureService {
  private readonly logger = new Logger(FriendshipErasureService.name);

  constructor(
    private readonly friends: FriendRepository,
    private readonly executor: CommandExecutorService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Ends every friendship of a user and informs the friends, and voids every pending request of the user.
   * @param recordEnd runs once for each ended relation, in the transaction that ends the relation.
   */
  async separateFromAll(userId: number, recordEnd: RecordEnd): Promise<void> {
    for (const otherId of await this.friends.findRelatedIds(userId)) {
      const event = await this.separate(userId, otherId, recordEnd);
      if (event?.type === 'FriendshipRemoved') await this.publishRemoval(otherId, event.data);
    }
  }

  /** @returns the event that ends the relation of the two users; undefined when they have none any more */
  private separate(
    userId: number,
    otherId: number,
    recordEnd: RecordEnd,
  ): Promise<FriendshipEvent | undefined> {
    return this.executor.runInTransaction(async (manager) => {
      const { events } = await this.executor.execute(
        buildFriendshipStreamId(userId, otherId),
        friendshipDecider,
        { type: 'SeparateUsers', eventId: randomUUID(), at: new Date(), userId, otherId },
        manager,
      );
      // `execute` does not know the event type of the stream. The command causes at most one event.
      const [event] = events as unknown as FriendshipEvent[];
      if (!event) return undefined;
      await recordEnd(event.type === 'FriendshipRemoved' ? 'friendships' : 'requests', manager);
      return event;
    });
  }

  /** Never throws: frames are sent with best effort, and a client that misses one reads its list of friends later. */
  private async publishRemoval(
    friendId: number,
    data: { removedBy: number; removedFriendId: number },
  ): Promise<void> {
    try {
      await this.userPublisher.sendFrame(friendId, 'friendship_removed', data);
    } catch (error) {
      logWarning(this.logger, 'The end of a friendship was not published', error);
    }
  }
}
