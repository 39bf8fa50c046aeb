import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BlockRepository } from '../infrastructure/block.repository';

/** A search excludes the users of at most this many blocks; the check at the start of a chat knows all of them. */
const MAX_EXCLUDED = 500;

/** Queries about blocks, for other modules. */
@Injectable()
export class BlockListService {
  /** A condition that is true if one user has blocked another; both are given as bigint expressions. */
  static buildHasBlockedSql(blockerId: string, blockedId: string): string {
    return `EXISTS (
      SELECT 1 FROM blocks WHERE blocks.blocker_id = ${blockerId} AND blocks.blocked_id = ${blockedId})`;
  }

  constructor(private readonly blocks: BlockRepository) {}

  hasBlocked(blockerId: number, blockedId: number): Promise<boolean> {
    return this.blocks.exists(blockerId, blockedId);
  }

  /** Whether one of the two has blocked the other. */
  areApart(userId: number, otherId: number): Promise<boolean> {
    return this.blocks.existsBetween(userId, otherId);
  }

  /** No block or friend request between the two starts or ends from here until the end of the transaction. */
  lockPairUntilCommit(userId: number, otherId: number, manager: EntityManager): Promise<void> {
    return this.blocks.lockPair(userId, otherId, manager);
  }

  /** Like `areApart`. No block between the two starts or ends from here until the end of the transaction. */
  async areApartUntilCommit(userId: number, otherId: number, manager: EntityManager): Promise<boolean> {
    await this.blocks.lockPair(userId, otherId, manager);
    return this.blocks.existsBetween(userId, otherId, manager);
  }

  /** Ids of users with whom the user must not be matched, from the newest 500 blocks of both directions. */
  findExcludedUsers(userId: number): Promise<readonly number[]> {
    return this.blocks.findOthers(userId, MAX_EXCLUDED);
  }
}
