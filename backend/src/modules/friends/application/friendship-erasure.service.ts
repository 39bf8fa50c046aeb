import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { friendshipDecider } from '../domain/friendship.decider';
import { type FriendshipEvent, buildFriendshipStreamId } from '../domain/friendship.events';
import { FriendRepository } from '../infrastructure/friend.repository';

/** The kind of relation that was ended between the user and one other user. */
export type EndedRelation = 'friendships' | 'requests';

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
  async separateFromAll(
    userId: number,
    recordEnd: (ended: EndedRelation, manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    for (const otherId of await this.friends.findRelatedIds(userId)) {
      const event = await this.executor.runInTransaction(async (manager) => {
        const { events } = await this.executor.execute(
          buildFriendshipStreamId(userId, otherId),
          friendshipDecider,
          {
            type: 'SeparateUsers',
            eventId: randomUUID(),
            at: new Date(),
            userId,
            otherId,
          },
          manager,
        );
        // The command causes at most one event. The type of `events` covers the events of all modules.
        const [endEvent] = events as unknown as FriendshipEvent[];
        if (endEvent)
          await recordEnd(endEvent.type === 'FriendshipRemoved' ? 'friendships' : 'requests', manager);
        return endEvent;
      });
      if (event?.type === 'FriendshipRemoved') await this.publishRemoval(otherId, event.data);
    }
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
