import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { BlockEntity } from './block.entity';

/** Queries of the read model `blocks`, which only the projection writes. */
@Injectable()
export class BlockRepository {
  constructor(@InjectRepository(BlockEntity) private readonly blocks: Repository<BlockEntity>) {}

  exists(blockerId: number, blockedId: number, manager = this.blocks.manager): Promise<boolean> {
    return manager.existsBy(BlockEntity, { blockerId, blockedId });
  }

  /** Whether one of the two has blocked the other. */
  existsBetween(userId: number, otherId: number, manager = this.blocks.manager): Promise<boolean> {
    return manager.exists(BlockEntity, {
      where: [
        { blockerId: userId, blockedId: otherId },
        { blockerId: otherId, blockedId: userId },
      ],
    });
  }

  /** The users whom the user has blocked, newest first. */
  findByBlocker(blockerId: number): Promise<BlockEntity[]> {
    return this.blocks.find({ where: { blockerId }, order: { createdAt: 'DESC', blockedId: 'DESC' } });
  }

  /** The blocks in which the user is the blocker or the blocked user. */
  findInvolving(userId: number): Promise<BlockEntity[]> {
    return this.blocks.find({ where: [{ blockerId: userId }, { blockedId: userId }] });
  }

  countByBlocker(blockerId: number, manager: EntityManager): Promise<number> {
    return manager.countBy(BlockEntity, { blockerId });
  }

  /** Ids of users whom the user has blocked or who have blocked the user, from the newest `limit` blocks. */
  async findUserIdsBlockedEitherWay(userId: number, limit: number): Promise<number[]> {
    const rows = await this.blocks.query<{ other_id: string }[]>(
      `SELECT other_id FROM (
         (SELECT blocked_id AS other_id, created_at FROM blocks
          WHERE blocker_id = $1 ORDER BY created_at DESC LIMIT $2)
         UNION ALL
         (SELECT blocker_id, created_at FROM blocks
          WHERE blocked_id = $1 ORDER BY created_at DESC LIMIT $2)
       ) AS newest_blocks ORDER BY created_at DESC LIMIT $2`,
      [userId, limit],
    );
    // Users who have blocked each other appear in two rows.
    return [...new Set(rows.map((row) => Number(row.other_id)))];
  }

  /** Waits for other transactions that lock the same pair of users, and holds the lock until the end of this one. */
  async lockPair(userId: number, otherId: number, manager: EntityManager): Promise<void> {
    const pair = `${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`;
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`blocks.pair:${pair}`]);
  }

  /** Like `lockPair`, but locks the list of one blocker. */
  async lockBlocker(blockerId: number, manager: EntityManager): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `blocks.blocker:${blockerId}`,
    ]);
  }
}
