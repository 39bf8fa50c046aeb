import { Injectable } from '@nestjs/common';
import { UserRepository } from '../infrastructure/user.repository';

/** Finds users, for processes that do not load `UsersModule`. */
@Injectable()
export class UserLookupService {
  constructor(private readonly users: UserRepository) {}

  /** The id of the registered user with this e-mail address, ignoring case; null when there is none. */
  async findIdByEmail(email: string): Promise<number | null> {
    return (await this.users.findByEmail(email))?.id ?? null;
  }

  /** The names of the given users who exist, in no particular order. */
  async findNames(userIds: readonly number[]): Promise<{ id: number; username: string }[]> {
    const users = await this.users.findMany(userIds);
    return users.map(({ id, username }) => ({ id, username }));
  }
}
