import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CredentialsEntity } from './credentials.entity';

@Injectable()
export class CredentialsRepository {
  constructor(
    @InjectRepository(CredentialsEntity) private readonly credentials: Repository<CredentialsEntity>,
  ) {}

  find(userId: number): Promise<CredentialsEntity | null> {
    return this.credentials.findOneBy({ userId });
  }

  /** Adds the credentials of a user who has none. @returns the version of the new credentials. */
  async add(userId: number, passwordHash: string, manager: EntityManager): Promise<number> {
    const version = 1;
    await manager.insert(CredentialsEntity, { userId, passwordHash, version });
    return version;
  }

  /**
   * Changes the password and increments the version. A login in progress with the old password then fails, because a
   * session is added only if the credentials still have the version that the login has read.
   * @returns the new version.
   * @throws Error for a user without credentials, such as an anonymous one.
   */
  async change(userId: number, passwordHash: string, manager: EntityManager): Promise<number> {
    // TypeORM returns the rows of an UPDATE together with their number.
    const [[row]] = await manager.query<[{ version: number }[], number]>(
      'UPDATE credentials SET password_hash = $2, version = version + 1 WHERE user_id = $1 RETURNING version',
      [userId, passwordHash],
    );
    if (!row) throw new Error('A user without credentials has no password to change');
    return row.version;
  }

  /**
   * Stores a hash of the same password with newer parameters. The version stays, so cookies of known devices, which
   * contain it, remain valid. Does nothing when the password was changed after these credentials were read.
   */
  async rehash({ userId, version }: CredentialsEntity, newPasswordHash: string): Promise<void> {
    await this.credentials.update({ userId, version }, { passwordHash: newPasswordHash });
  }
}
