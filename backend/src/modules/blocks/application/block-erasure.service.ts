import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { blockDecider } from '../domain/block.decider';
import { blockStream } from '../domain/block.events';
import { BlockRepository } from '../infrastructure/block.repository';

/** Removes the blocks of a user who is erased. */
@Injectable()
export class BlockErasureService {
  constructor(
    private readonly blocks: BlockRepository,
    private readonly executor: CommandExecutorService,
  ) {}

  /** Removes every block by and of a user. @param record runs in the transaction of each removal. */
  async removeAllOf(userId: number, record: (manager: EntityManager) => Promise<void>): Promise<void> {
    for (const { blockerId, blockedId } of await this.blocks.findOf(userId)) {
      await this.executor.runInTransaction(async (manager) => {
        await this.blocks.lockPair(blockerId, blockedId, manager);
        // A block that was removed meanwhile is not removed again.
        if (!(await this.blocks.exists(blockerId, blockedId, manager))) return;
        const command = { eventId: randomUUID(), at: new Date(), blockerId, blockedId };
        await this.executor.execute(
          blockStream(blockerId, blockedId),
          blockDecider,
          { type: 'UnblockUser', ...command },
          manager,
        );
        await record(manager);
      });
    }
  }
}
