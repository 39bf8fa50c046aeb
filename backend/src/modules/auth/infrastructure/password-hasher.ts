import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { DomainError } from '../../../platform/errors/domain-error';

/** argon2id (the library's own default) with OWASP's first recommendation: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const AT_ONCE = 2;
const QUEUE = 64;

/** Hashes passwords, exactly as received, so many at once that the event loop and the memory stay ours. */
@Injectable()
export class PasswordHasher implements OnModuleInit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private dummyHash = '';

  async onModuleInit(): Promise<void> {
    this.dummyHash = await hash(randomBytes(32), parameters);
  }

  /** @throws DomainError unavailable when too many wait already. */
  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password, parameters));
  }

  /**
   * Takes its time for `null`, too: who has no account must not be told apart by the clock.
   * @throws DomainError unavailable when too many wait already.
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const isRight = await this.inTurn(() => verify(passwordHash ?? this.dummyHash, password));
    return isRight && passwordHash !== null;
  }

  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    return (
      memoryCost !== parameters.memoryCost ||
      timeCost !== parameters.timeCost ||
      parallelism !== parameters.parallelism
    );
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < AT_ONCE) this.running += 1;
    else if (this.waiting.length < QUEUE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new DomainError('unavailable');
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Whoever is next takes over this place.
      if (next) next();
      else this.running -= 1;
    }
  }
}
