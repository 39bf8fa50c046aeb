import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { blockDecider } from '../domain/block.decider';
import { buildBlockStreamId } from '../domain/block.events';
import { BlockRepository } from '../infrastructure/block.repository';

/** Removes the blocks of a user whose data is being erased. */
@Injectable()
export class BlockErasureService {
  constructor(
    private readonly blocks: BlockRepository,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * Removes every block in which the user is the blocker or the blocked user.
   * @param recordRemoval runs once for each removed block, in the transaction of the removal.
   */
  async removeAllOf(userId: number, recordRemoval: (manager: EntityManager) => Promise<void>): Promise<void> {
    for (const { blockerId, blockedId } of await this.blocks.findInvolving(userId)) {
      await this.executor.runInTransaction(async (manager) => {
        await this.blocks.lockPair(blockerId, blockedId, manager);
        // The block may have been removed after `findInvolving` read it.
        if (!(await this.blocks.exists(blockerId, blockedId, manager))) return;
        const command = { eventId: randomUUID(), at: new Date(), blockerId, blockedId };
        await this.executor.execute(
          buildBlockStreamId(blockerId, blockedId),
          blockDecider,
          { type: 'UnblockUser', ...command },
          manager,
        );
        await recordRemoval(manager);
      });
    }
  }
}
