import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { ConcurrencyLimiter } from '../../../platform/concurrency/concurrency.limiter';

/**
 * argon2id (the library's default) with the minimum configuration that OWASP recommends: 19 MiB (`memoryCost` is in
 * KiB), two iterations, parallelism 1.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes that are computed at the same time. */
const CONCURRENCY = 2;
/** Maximum number of calls that wait; further calls are refused. */
const MAX_QUEUED = 64;

/**
 * Hashes passwords exactly as received. Concurrency is bounded, because each hash takes 19 MiB and a thread of libuv's
 * pool.
 */
@Injectable()
export class PasswordHasherService implements OnModuleInit {
  private readonly limiter = new ConcurrencyLimiter(CONCURRENCY, MAX_QUEUED);
  /** The hash of a random password, verified in place of a missing hash. */
  private dummyHash = '';

  async onModuleInit(): Promise<void> {
    this.dummyHash = await hash(randomBytes(32), parameters);
  }

  /** @throws DomainError unavailable when the queue is full. */
  hash(password: string): Promise<string> {
    return this.limiter.run(() => hash(password, parameters));
  }

  /**
   * @param passwordHash null when there is no account. A hash is computed even then, so that response times do not
   * reveal whether an address has an account.
   * @returns whether the password is correct; false when `passwordHash` is null.
   * @throws DomainError unavailable when the queue is full.
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const isCorrect = await this.limiter.run(() => verify(passwordHash ?? this.dummyHash, password));
    return isCorrect && passwordHash !== null;
  }

  /** Whether the hash was computed with other parameters. A sign-in then replaces it. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    return (
      memoryCost !== parameters.memoryCost ||
      timeCost !== parameters.timeCost ||
      parallelism !== parameters.parallelism
    );
  }
}
