import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Block, BlockedUser } from '@thaw/contract/safety';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { throwUnavailableOnConflict } from '../../../platform/event-store/version-conflict.functions';
import { logWarning, logRejections } from '../../../platform/observability/warn-about.functions';
import type { BlockedPair } from '../../../platform/process-events/process-event-map.types';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { USER_RELATIONS, type UserRelationsPort } from '../../users/application/user-relations.port';
import { UsersService } from '../../users/application/users.service';
import type { BlockCommand } from '../domain/block.commands';
import { blockDecider, type BlockState } from '../domain/block.decider';
import { buildBlockStreamId } from '../domain/block.events';
import { BlockRepository } from '../infrastructure/block.repository';

export interface BlockResult {
  block: Block;
  /** Whether this call created the block. */
  isNew: boolean;
}

interface BlockChange extends BlockedPair {
  isBlocked: boolean;
}

interface StoredBlock {
  blockedAt: Date;
  isNew: boolean;
  /** Each one publishes what another module has changed in the transaction of the block. */
  publications: readonly (() => Promise<void>)[];
}

/**
 * Blocks and unblocks users. Other modules react to UserBlocking, in the transaction of the block, and to UserBlocked
 * and UserUnblocked, after the commit. A call may die between its commit and these last reactions. The caller then
 * repeats the call, which runs all reactions again.
 */
@Injectable()
export class BlocksService {
  private readonly logger = new Logger(BlocksService.name);

  constructor(
    private readonly blocks: BlockRepository,
    private readonly executor: CommandExecutorService,
    private readonly eventStore: EventStoreRepository,
    private readonly users: UsersService,
    @Inject(USER_RELATIONS) private readonly relations: UserRelationsPort,
    private readonly processEvents: ProcessEventsService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /** The users whom the user has blocked, newest first. */
  async list(userId: number): Promise<BlockedUser[]> {
    const blocks = await this.blocks.findByBlocker(userId);
    const profiles = await this.users.findProfiles(blocks.map(({ blockedId }) => blockedId));
    const profilesById = new Map(profiles.map((profile) => [profile.id, profile]));
    return blocks.flatMap(({ blockedId, createdAt }) => {
      const profile = profilesById.get(blockedId);
      if (!profile) return []; // the user was erased after the blocks were read
      const { username, avatar } = profile;
      return [{ blockedId, username, avatar, createdAt: createdAt.toISOString() }];
    });
  }

  /**
   * Blocks a user. The reactions also run if the user is blocked already. After this returns, no chat of the two is
   * open and none can start.
   * @throws DomainError not_found, limit_reached, unavailable
   */
  async block(blockerId: number, blockedId: number): Promise<BlockResult> {
    const { blockedAt, isNew, publications } = await this.storeBlock(blockerId, blockedId);
    try {
      await this.processEvents.deliver('UserBlocked', { blockerId, blockedId });
    } finally {
      // The block is committed, so this happens even if a reaction has failed.
      const results = await Promise.allSettled(publications.map((publish) => publish()));
      logRejections(this.logger, 'An effect of a block was not published', results);
    }
    await this.publishChange({ blockerId, blockedId, isBlocked: true });
    return { block: { blockedId, createdAt: blockedAt.toISOString() }, isNew };
  }

  /**
   * Unblocks a user. The reactions also run if the user was unblocked earlier.
   * @throws DomainError not_found when the user is not blocked; unavailable
   */
  async unblock(blockerId: number, blockedId: number): Promise<void> {
    try {
      await this.runInTransaction(async (manager) => {
        await this.blocks.lockPair(blockerId, blockedId, manager);
        const command = { eventId: randomUUID(), at: new Date(), blockerId, blockedId };
        await this.execute({ type: 'UnblockUser', ...command }, manager);
      });
    } catch (error) {
      // The user may have been unblocked by an earlier call that died. If the user is still blocked, the reactions do
      // nothing.
      const history = await this.eventStore.read(buildBlockStreamId(blockerId, blockedId));
      if (history.length > 0) await this.processEvents.deliver('UserUnblocked', { blockerId, blockedId });
      throw error;
    }
    await this.processEvents.deliver('UserUnblocked', { blockerId, blockedId });
    await this.publishChange({ blockerId, blockedId, isBlocked: false });
  }

  /** Stores the block, and what other modules change with it, in one transaction. */
  private async storeBlock(blockerId: number, blockedId: number): Promise<StoredBlock> {
    const areAcquainted =
      blockerId !== blockedId &&
      (await this.users.findProfile(blockedId)) !== null &&
      (await this.relations.areAcquainted(blockerId, blockedId));
    const { state, ...stored } = await this.runInTransaction(async (manager) => {
      await this.blocks.lockPair(blockerId, blockedId, manager);
      // Locked, so that no other block by this user changes `blockedCount` before the commit.
      await this.blocks.lockBlocker(blockerId, manager);
      const blockedCount = await this.blocks.countByBlocker(blockerId, manager);
      // Locks the users against erasure: an erasure that has already read their blocks would not remove this one.
      const mayBlock =
        areAcquainted && (await this.users.lockAndCheckExistence([blockerId, blockedId], manager));
      const command: BlockCommand = {
        type: 'BlockUser',
        eventId: randomUUID(),
        at: new Date(),
        blockerId,
        blockedId,
        mayBlock,
        blockedCount,
      };
      const { state, events } = await this.execute(command, manager);
      const publications: (() => Promise<void>)[] = [];
      await this.processEvents.runInTransaction('UserBlocking', {
        blockerId,
        blockedId,
        manager,
        afterCommit: (publish) => publications.push(publish),
      });
      return { state, isNew: events.length > 0, publications };
    });
    const { blockedAt } = state;
    if (!blockedAt) throw new Error('BlockUser stored no block');
    return { ...stored, blockedAt };
  }

  private async execute(
    command: BlockCommand,
    manager: EntityManager,
  ): Promise<{ state: BlockState; events: readonly object[] }> {
    const stream = buildBlockStreamId(command.blockerId, command.blockedId);
    return this.executor.execute(stream, blockDecider, command, manager);
  }

  private runInTransaction<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return throwUnavailableOnConflict(() => this.executor.runInTransaction(work));
  }

  /** Never throws: frames are sent with best effort, and a client that misses one reads the list of blocks later. */
  private async publishChange({ blockerId, blockedId, isBlocked }: BlockChange): Promise<void> {
    try {
      await this.userPublisher.sendFrame(blockerId, 'block_changed', { userId: blockedId, isBlocked });
    } catch (error) {
      logWarning(this.logger, 'A change of a block was not published', error);
    }
  }
}
