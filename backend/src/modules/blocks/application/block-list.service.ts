import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BlockRepository } from '../infrastructure/block.repository';

/** A search excludes at most this many users. If it finds another blocked user, the start of the chat is refused. */
const MAX_EXCLUDED_USERS = 500;

/** Queries about blocks, for other modules. */
@Injectable()
export class BlockListService {
  /**
   * Builds a condition that is true if one user has blocked another. The parameters are SQL expressions of the type
   * bigint.
   */
  static buildHasBlockedSql(blockerIdSql: string, blockedIdSql: string): string {
    return `EXISTS (
      SELECT 1 FROM blocks WHERE blocks.blocker_id = ${blockerIdSql} AND blocks.blocked_id = ${blockedIdSql})`;
  }

  constructor(private readonly blocks: BlockRepository) {}

  hasBlocked(blockerId: number, blockedId: number): Promise<boolean> {
    return this.blocks.exists(blockerId, blockedId);
  }

  /** Whether one of the two users has blocked the other. */
  isBlockedEitherWay(userId: number, otherId: number): Promise<boolean> {
    return this.blocks.existsBetween(userId, otherId);
  }

  /** Until the end of the transaction, no block between the two starts or ends, and no friend request is sent. */
  lockPairUntilCommit(userId: number, otherId: number, manager: EntityManager): Promise<void> {
    return this.blocks.lockPair(userId, otherId, manager);
  }

  /** Like `isBlockedEitherWay`, but locks the pair: the result is valid until the end of the transaction. */
  async isBlockedEitherWayUntilCommit(
    userId: number,
    otherId: number,
    manager: EntityManager,
  ): Promise<boolean> {
    await this.blocks.lockPair(userId, otherId, manager);
    return this.blocks.existsBetween(userId, otherId, manager);
  }

  /**
   * Ids of users with whom the user must not be matched, from the newest blocks in which the user is the blocker or the
   * blocked user.
   */
  findExcludedUserIds(userId: number): Promise<readonly number[]> {
    return this.blocks.findUserIdsBlockedEitherWay(userId, MAX_EXCLUDED_USERS);
  }
}
