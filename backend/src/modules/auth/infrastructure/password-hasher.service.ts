import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { ConcurrencyLimiter } from '../../../platform/concurrency/concurrency.limiter';

/** argon2id (the library's own default) with OWASP's first recommendation: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CONCURRENCY = 2;
const MAX_QUEUED = 64;

/** Hashes passwords exactly as received; bounded, since each takes 19 MiB and a thread of the pool. */
@Injectable()
export class PasswordHasherService implements OnModuleInit {
  private readonly limiter = new ConcurrencyLimiter(CONCURRENCY, MAX_QUEUED);
  private dummyHash = '';

  async onModuleInit(): Promise<void> {
    this.dummyHash = await hash(randomBytes(32), parameters);
  }

  /** @throws DomainError unavailable when too many wait already. */
  hash(password: string): Promise<string> {
    return this.limiter.run(() => hash(password, parameters));
  }

  /**
   * Hashes for `null`, too: an address without an account must not be recognisable by a quicker answer.
   * @throws DomainError unavailable when too many wait already.
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const isCorrect = await this.limiter.run(() => verify(passwordHash ?? this.dummyHash, password));
    return isCorrect && passwordHash !== null;
  }

  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    return (
      memoryCost !== parameters.memoryCost ||
      timeCost !== parameters.timeCost ||
      parallelism !== parameters.parallelism
    );
  }
}
