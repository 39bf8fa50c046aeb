import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { UserEntity } from './user.entity';

/** Reads of the read model «users». Its only writer is the projection. */
@Injectable()
export class UserRepository {
  constructor(@InjectRepository(UserEntity) private readonly users: Repository<UserEntity>) {}

  /** An id that no user has had or will have again. */
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

  /** By address, whatever its case. */
  findByEmail(email: string): Promise<UserEntity | null> {
    return this.users
      .createQueryBuilder('user')
      .where('lower(user.email) = lower(:email)', { email })
      .getOne();
  }
}
