import type { Gender } from '@thaw/contract/scalars';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Standing } from '@thaw/contract/safety';
import type { Profile } from '@thaw/contract/users';
import { type EntityManager, In, Repository } from 'typeorm';
import { ReadReplicaService } from '../../../platform/database/read-replica.service';
import { type PreparedStatement, runPrepared } from '../../../platform/database/prepared-statement.functions';
import { selectStandingSql, type StandingRow, toStanding } from '../../standings/application/standing.sql';
import { UserEntity } from './user.entity';

/** A user and their standing: whether they are, for example, in good standing, suspended or banned. */
export interface UserWithStanding {
  user: UserEntity;
  standing: Standing;
}

interface UserWithStandingRow extends StandingRow {
  id: string;
  username: string;
  avatar: string | null;
  email: string | null;
  gender: Gender | null;
  is_anonymous: boolean;
  is_moderator: boolean;
  created_at: Date;
}

/** Prepared, and not built by the query builder, because every sign-up and every join of the queue runs it. */
const FIND_WITH_STANDING: PreparedStatement = {
  name: 'find_users_with_standing',
  text: `SELECT users.id, users.username, users.avatar, users.email, users.gender, users.is_anonymous,
           users.is_moderator, users.created_at, ${selectStandingSql('standings')}
         FROM users LEFT JOIN standings ON standings.user_id = users.id WHERE users.id = ANY($1::bigint[])`,
};

/** Reads and locks users. Does not write them: the table `users` is a projection, which `usersProjection` updates. */
@Injectable()
export class UserRepository {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly replica: ReadReplicaService,
  ) {}

  /** Takes the next id of the sequence, which never returns an id twice. */
  async allocateId(manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ id: string }[]>(`SELECT nextval('user_ids') AS id`);
    if (!row) throw new Error('The sequence user_ids returned no row');
    return Number(row.id);
  }

  find(id: number): Promise<UserEntity | null> {
    return this.users.findOneBy({ id });
  }

  /** The profile of a user as others see it, from the read replica. */
  async findPublicProfile(id: number): Promise<Profile | null> {
    const [row] = await this.replica.read((connection) =>
      connection.query<Omit<Profile, 'id'>[]>('SELECT username, avatar FROM users WHERE id = $1', [id]),
    );
    return row ? { id, ...row } : null;
  }

  /** Finds a user with their standing, in one query. */
  async findWithStanding(id: number): Promise<UserWithStanding | null> {
    const [found] = await this.findManyWithStanding([id]);
    return found ?? null;
  }

  /** Finds the given users who exist, with their standings, in one query. */
  async findManyWithStanding(ids: readonly number[]): Promise<UserWithStanding[]> {
    if (ids.length === 0) return [];
    const rows = await runPrepared<UserWithStandingRow[]>(this.users.manager, FIND_WITH_STANDING, [ids]);
    return rows.map((row) => ({ user: toUser(row), standing: toStanding(row) }));
  }

  findMany(ids: readonly number[]): Promise<UserEntity[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.users.findBy({ id: In([...ids]) });
  }

  /** Whether all given users exist. Locks their rows against deletion until the end of the transaction. */
  async lockAndCheckExistence(ids: readonly number[], manager: EntityManager): Promise<boolean> {
    const uniqueIds = [...new Set(ids)];
    const rows = await manager.query<unknown[]>(
      'SELECT id FROM users WHERE id = ANY($1::bigint[]) ORDER BY id FOR KEY SHARE',
      [uniqueIds],
    );
    return rows.length === uniqueIds.length;
  }

  findModerators(): Promise<UserEntity[]> {
    return this.users.find({ where: { isModerator: true }, order: { id: 'ASC' } });
  }

  /**
   * Claims an e-mail address for a user. This address and the user's current one stay locked until the end of the
   * transaction: other transactions that claim either of them wait. So one user has given up an address, in the order
   * of events, before another user gets it, and `usersProjection` does not violate the unique index. (PostgreSQL would
   * log the address with such a violation, but logs must contain no e-mail addresses.)
   * @returns false when another user has the address.
   */
  async claimEmail(email: string, userId: number, manager: EntityManager): Promise<boolean> {
    // The locks are taken in the order of their keys, so that two users who swap addresses do not deadlock.
    await manager.query(
      `SELECT pg_advisory_xact_lock(key) FROM (
         SELECT hashtextextended('users.email:' || lower(email), 0) AS key
         FROM (SELECT $1::text AS email UNION SELECT email FROM users WHERE id = $2 AND email IS NOT NULL) AS addresses
         ORDER BY key
       ) AS keys`,
      [email, userId],
    );
    const owners = await manager.query<unknown[]>(
      'SELECT 1 FROM users WHERE lower(email) = lower($1) AND id <> $2',
      [email, userId],
    );
    return owners.length === 0;
  }

  /** Finds a user by e-mail address, ignoring case. */
  findByEmail(email: string): Promise<UserEntity | null> {
    return this.users
      .createQueryBuilder('user')
      .where('lower(user.email) = lower(:email)', { email })
      .getOne();
  }
}

const toUser = (row: UserWithStandingRow): UserEntity => ({
  id: Number(row.id),
  username: row.username,
  avatar: row.avatar,
  email: row.email,
  gender: row.gender,
  isAnonymous: row.is_anonymous,
  isModerator: row.is_moderator,
  createdAt: row.created_at,
});
