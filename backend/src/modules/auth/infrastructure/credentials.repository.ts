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

  async add(userId: number, passwordHash: string, manager: EntityManager): Promise<void> {
    await manager.insert(CredentialsEntity, { userId, passwordHash });
  }

  /** Another password: logins that are being made with the old one come to nothing. */
  async change(userId: number, passwordHash: string, manager: EntityManager): Promise<void> {
    await manager.query(
      'UPDATE credentials SET password_hash = $2, version = version + 1 WHERE user_id = $1',
      [userId, passwordHash],
    );
  }

  /** The same password under newer parameters. */
  async rehash({ userId, version }: CredentialsEntity, passwordHash: string): Promise<void> {
    await this.credentials.update({ userId, version }, { passwordHash });
  }
}
