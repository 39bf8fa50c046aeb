import { Injectable } from '@nestjs/common';
import { goodStanding, type Standing } from '@thaw/contract/safety';
import { DataSource, type EntityManager } from 'typeorm';
import { selectStandingSql, type StandingRow, toStanding } from '../application/standing.sql';

/** Queries of the read models `standings` and `sanctions`, which only their projection writes. */
@Injectable()
export class StandingRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The standings of those of the users who have a row; the others are in good standing. */
  async findMany(
    userIds: readonly number[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ReadonlyMap<number, Standing>> {
    const rows = await manager.query<(StandingRow & { user_id: string })[]>(
      `SELECT standings.user_id, ${selectStandingSql('standings')}
       FROM standings WHERE standings.user_id = ANY($1::bigint[])`,
      [userIds],
    );
    const known = new Map(rows.map((row) => [Number(row.user_id), toStanding(row)]));
    return new Map(userIds.map((userId) => [userId, known.get(userId) ?? goodStanding]));
  }

  /** Whether the user's data is under a hold. */
  async isHeld(userId: number, manager: EntityManager = this.dataSource.manager): Promise<boolean> {
    const rows = await manager.query<unknown[]>('SELECT 1 FROM standings WHERE user_id = $1 AND is_held', [
      userId,
    ]);
    return rows.length > 0;
  }
}
