import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { SelfUser } from '@thaw/contract/users';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import type { Login } from '../../../platform/http/login.decorator';
import type { BucketName } from '../../../platform/rate-limit/bucket.limits';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { UsersService } from '../../users/application/users.service';
import type { CredentialsEntity } from '../infrastructure/credentials.entity';
import { CredentialsRepository } from '../infrastructure/credentials.repository';
import { PasswordHasherService } from '../infrastructure/password-hasher.service';
import { LoginSessionService } from './login-session.service';
import type { VerifiedUser } from './verified-user.types';

type BucketCharge = readonly [bucket: BucketName, subject: string | number];

/** The rate-limit subject of an account, hashed so that Redis keys contain no e-mail addresses. */
const accountSubject = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, 24);

@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: PasswordHasherService,
    private readonly loginSessions: LoginSessionService,
    private readonly limiter: RateLimiterService,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * @param deviceOf returns the device id if this user has signed in on the device before: failed guesses elsewhere do
   * not lock the user out there.
   * @throws DomainError invalid_credentials, rate_limited, unavailable
   */
  async verify(
    email: string,
    password: string,
    address: string,
    deviceOf: (user: VerifiedUser) => string | null,
  ): Promise<VerifiedUser> {
    const userId = await this.users.idByEmail(email);
    const credentials = await this.credentials.find(userId ?? 0);
    const device = credentials && deviceOf(toVerified(credentials));
    const charges: BucketCharge[] = device
      ? [['login_failures_of_device', device]]
      : [
          ['login_failures_of_account', accountSubject(email)],
          ['login_failures_of_address', address],
        ];
    const isCorrect = await this.countingFailures(charges, () =>
      this.hasher.verify(credentials?.passwordHash ?? null, password),
    );
    if (!isCorrect || !credentials) throw new DomainError('invalid_credentials');
    await this.rehashIfOutdated(credentials, password);
    return toVerified(credentials);
  }

  /** @throws DomainError email_taken, unavailable */
  async register(email: string, password: string): Promise<VerifiedUser> {
    await this.requireFree(email);
    const passwordHash = await this.hasher.hash(password);
    return this.executor.inTransaction(async (manager) => {
      const userId = await this.users.register(email, manager);
      return { userId, credentialsVersion: await this.credentials.add(userId, passwordHash, manager) };
    });
  }

  /**
   * Turns an anonymous account into a registered one; the user id stays (A16).
   * @throws DomainError not_anonymous, email_taken, unavailable
   */
  async convert(userId: number, email: string, password: string): Promise<VerifiedUser> {
    const user = await this.users.self(userId);
    if (!user.isAnonymous) throw new DomainError('not_anonymous');
    await this.requireFree(email);
    const passwordHash = await this.hasher.hash(password);
    return this.executor.inTransaction(async (manager) => {
      await this.users.convert(userId, email, manager);
      return { userId, credentialsVersion: await this.credentials.add(userId, passwordHash, manager) };
    });
  }

  /**
   * Other logins stay (A28); this browser moves to a new family (A02).
   * @throws DomainError wrong_password, email_taken, not_signed_in, forbidden for an anonymous user
   */
  async changeEmail(
    request: Request,
    login: Login,
    newEmail: string,
    currentPassword: string,
  ): Promise<SelfUser> {
    await this.confirm(login.userId, currentPassword);
    await this.loginSessions.renew(request, login, (manager) =>
      this.users.changeEmail(login.userId, newEmail, manager),
    );
    return this.users.self(login.userId);
  }

  /**
   * Ends every other login of the user (A28) and invalidates known devices; this browser moves to a new family (A02).
   * @throws DomainError wrong_password, not_signed_in, forbidden for an anonymous user
   */
  async changePassword(
    request: Request,
    login: Login,
    currentPassword: string,
    newPassword: string,
  ): Promise<VerifiedUser> {
    await this.confirm(login.userId, currentPassword);
    const passwordHash = await this.hasher.hash(newPassword);
    let credentialsVersion = 0;
    await this.loginSessions.renew(request, login, async (manager) => {
      credentialsVersion = await this.credentials.change(login.userId, passwordHash, manager);
      await this.loginSessions.removeOthers(login, manager);
    });
    await this.loginSessions.closeOthers(login);
    return { userId: login.userId, credentialsVersion };
  }

  private async confirm(userId: number, password: string): Promise<void> {
    const credentials = await this.credentials.find(userId);
    if (!credentials) throw new DomainError('forbidden');
    const isCorrect = await this.countingFailures([['password_confirmations', userId]], () =>
      this.hasher.verify(credentials.passwordHash, password),
    );
    if (!isCorrect) throw new DomainError('wrong_password');
  }

  /**
   * Charges the attempt before it is made, so that concurrent attempts count too, and refunds it unless the password
   * was wrong.
   */
  private async countingFailures(
    charges: readonly BucketCharge[],
    attempt: () => Promise<boolean>,
  ): Promise<boolean> {
    const taken: BucketCharge[] = [];
    let isFailure = false;
    try {
      for (const charge of charges) {
        await this.limiter.require(...charge);
        taken.push(charge);
      }
      const isCorrect = await attempt();
      isFailure = !isCorrect;
      return isCorrect;
    } finally {
      if (!isFailure) for (const charge of taken) await this.limiter.refund(...charge);
    }
  }

  private async requireFree(email: string): Promise<void> {
    if ((await this.users.idByEmail(email)) !== null) throw new DomainError('email_taken');
  }

  private async rehashIfOutdated(credentials: CredentialsEntity, password: string): Promise<void> {
    if (!this.hasher.isOutdated(credentials.passwordHash)) return;
    await this.credentials.rehash(credentials, await this.hasher.hash(password));
  }
}

const toVerified = ({ userId, version }: CredentialsEntity): VerifiedUser => ({
  userId,
  credentialsVersion: version,
});
