import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';

/** Hashes e-mail addresses with a secret, without which stored hashes cannot be compared with a list of addresses. */
@Injectable()
export class EmailHasherService {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'SAFETY_SECRET'>) {}

  /**
   * Hashes an address, ignoring letter case and Unicode compatibility forms.
   * @throws Error if SAFETY_SECRET is missing; every process that confirms bans or creates accounts has it
   */
  hash(email: string): string {
    const { SAFETY_SECRET: secret } = this.environment;
    if (!secret) throw new Error('SAFETY_SECRET is missing');
    return createHmac('sha256', secret)
      .update(`email:${email.normalize('NFKC').toLowerCase()}`)
      .digest('hex');
  }

  /** The hash of the user's current e-mail address; null when they have none. */
  async findEmailHash(userId: number, manager: EntityManager): Promise<string | null> {
    const [row] = await manager.query<{ email: string | null }[]>('SELECT email FROM users WHERE id = $1', [
      userId,
    ]);
    return row?.email ? this.hash(row.email) : null;
  }
}
