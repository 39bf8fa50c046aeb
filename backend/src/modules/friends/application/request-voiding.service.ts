import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { friendshipDecider } from '../domain/friendship.decider';
import { buildFriendshipStreamId } from '../domain/friendship.events';

/** Voids friend requests (ends them without an answer) when one of the users has written that they are under 18. */
@Injectable()
export class RequestVoidingService {
  constructor(
    private readonly executor: CommandExecutorService,
    private readonly blockList: BlockListService,
  ) {}

  /**
   * Voids the pending request of two users, in either direction. A request that is sent at the same time waits for the
   * lock, and so for the commit of this transaction.
   */
  async voidPending(userId: number, otherId: number, manager: EntityManager): Promise<void> {
    await this.blockList.lockPairUntilCommit(userId, otherId, manager);
    await this.executor.execute(
      buildFriendshipStreamId(userId, otherId),
      friendshipDecider,
      { type: 'VoidFriendRequest', eventId: randomUUID(), at: new Date() },
      manager,
    );
  }
}
