import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { UserEntity } from './user.entity';

/** Queries of the read model `users`, which only the projection writes. */
@Injectable()
export class UserRepository {
  constructor(@InjectRepository(UserEntity) private readonly users: Repository<UserEntity>) {}

  /** An id that has never been used and will not be given out again. */
  async nextId(): Promise<number> {
    const [row] = await this.users.query<{ id: string }[]>(`SELECT nextval('user_ids') AS id`);
    if (!row) throw new Error('The sequence of user ids gave nothing');
    return Number(row.id);
  }

  find(id: number): Promise<UserEntity | null> {
    return this.users.findOneBy({ id });
  }

  findMany(ids: readonly number[]): Promise<UserEntity[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.users.findBy({ id: In([...ids]) });
  }

  /**
   * Claims an address for a user until the end of the transaction: transactions that claim the same address, or the
   * address it replaces, wait. Therefore no statement violates the unique index (PostgreSQL would log the address with
   * the error), and events that pass on an address are numbered in commit order.
   * @returns false when another user has the address.
   */
  async claimEmail(email: string, userId: number, manager: EntityManager): Promise<boolean> {
    // Locks are taken in one order, so that two users who swap addresses do not deadlock.
    await manager.query(
      `SELECT pg_advisory_xact_lock(key) FROM (
         SELECT hashtextextended('users.email:' || lower(email), 0) AS key
         FROM (SELECT $1::text AS email UNION SELECT email FROM users WHERE id = $2 AND email IS NOT NULL) AS wanted
         ORDER BY key
       ) AS locks`,
      [email, userId],
    );
    const owners = await manager.query<unknown[]>(
      'SELECT 1 FROM users WHERE lower(email) = lower($1) AND id <> $2',
      [email, userId],
    );
    return owners.length === 0;
  }

  /** Finds a user by address, ignoring case. */
  findByEmail(email: string): Promise<UserEntity | null> {
    return this.users
      .createQueryBuilder('user')
      .where('lower(user.email) = lower(:email)', { email })
      .getOne();
  }
}
