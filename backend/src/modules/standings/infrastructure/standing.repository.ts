import { Injectable } from '@nestjs/common';
import { goodStanding, type Standing } from '@thaw/contract/safety';
import { DataSource, type EntityManager } from 'typeorm';
import { selectStandingSql, type StandingRow, toStanding } from '../application/standing.sql';

/** Queries of the table `standings`: who is suspended or banned, for example. Only its projection writes the table. */
@Injectable()
export class StandingRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The standing of each of the users; users without a row are in good standing. */
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

  /** Whether the user is under a legal hold, so that their data must not be erased. */
  async isHeld(userId: number, manager: EntityManager = this.dataSource.manager): Promise<boolean> {
    const rows = await manager.query<unknown[]>('SELECT 1 FROM standings WHERE user_id = $1 AND is_held', [
      userId,
    ]);
    return rows.length > 0;
  }
}
