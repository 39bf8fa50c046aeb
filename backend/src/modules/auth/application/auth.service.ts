import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { SelfUser } from '@thaw/contract/users';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import type { Login } from '../../../platform/http/login.decorator';
import type { Device } from '../../../platform/process-events/process-event-map.types';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import type { BucketName } from '../../../platform/rate-limit/bucket.limits';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { UsersService } from '../../users/application/users.service';
import type { CredentialsEntity } from '../infrastructure/credentials.entity';
import { CredentialsRepository } from '../infrastructure/credentials.repository';
import { PasswordHasherService } from '../infrastructure/password-hasher.service';
import { LoginSessionService } from './login-session.service';
import type { VerifiedUser } from './verified-user.types';

type BucketCharge = readonly [bucket: BucketName, subject: string | number];

/** No user has this id. Looking up its credentials takes as long as for an existing account. */
const UNKNOWN_USER_ID = 0;

/** 24 characters of base64url are 144 bits, so the hashes of two addresses do not collide in practice. */
const ACCOUNT_SUBJECT_LENGTH = 24;

/** Hashes an e-mail address to a rate-limit subject, so that keys in Redis contain no addresses. */
const toAccountSubject = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, ACCOUNT_SUBJECT_LENGTH);

/** Accounts and their passwords: sign-up, the verification of passwords, and changes of e-mail address and password. */
@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersService,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: PasswordHasherService,
    private readonly loginSessions: LoginSessionService,
    private readonly limiter: RateLimiterService,
    private readonly executor: CommandExecutorService,
    private readonly processEvents: ProcessEventsService,
  ) {}

  /**
   * Verifies the password of the account with this e-mail address. Failed attempts are limited per account and per
   * client address; on a known device they are limited per device instead, so that guesses elsewhere do not lock the
   * user out.
   * @param addressSubject the client address, as a rate-limit subject
   * @param findDeviceId returns the id of the browser's device if the user has signed in on it before; otherwise null
   * @throws DomainError invalid_credentials, rate_limited, unavailable
   */
  async verify(
    email: string,
    password: string,
    addressSubject: string,
    findDeviceId: (user: VerifiedUser) => string | null,
  ): Promise<VerifiedUser> {
    const userId = await this.users.findIdByEmail(email);
    const credentials = await this.credentials.find(userId ?? UNKNOWN_USER_ID);
    const deviceId = credentials && findDeviceId(toVerifiedUser(credentials));
    const charges: BucketCharge[] = deviceId
      ? [['login_failures_of_device', deviceId]]
      : [
          ['login_failures_of_account', toAccountSubject(email)],
          ['login_failures_of_address', addressSubject],
        ];
    // Verifies a password even without an account, so that response times do not reveal which addresses have accounts.
    const isCorrect = await this.limitFailures(charges, () =>
      this.hasher.verify(credentials?.passwordHash ?? null, password),
    );
    if (!isCorrect || !credentials) throw new DomainError('invalid_credentials');
    await this.rehashIfOutdated(credentials, password);
    return toVerifiedUser(credentials);
  }

  /** @param device the browser of the request. @returns the id of a new anonymous user. */
  startAnonymousUser(device: Device): Promise<number> {
    return this.executor.runInTransaction(async (manager) => {
      const userId = await this.users.startAnonymousUser(manager);
      await this.processEvents.runInTransaction('AccountCreated', { userId, email: null, device, manager });
      return userId;
    });
  }

  /** @param device the browser of the request. @throws DomainError email_taken, unavailable */
  async register(email: string, password: string, device: Device): Promise<VerifiedUser> {
    await this.requireUnusedEmail(email);
    const passwordHash = await this.hasher.hash(password);
    return this.executor.runInTransaction(async (manager) => {
      const userId = await this.users.register(email, manager);
      await this.processEvents.runInTransaction('AccountCreated', { userId, email, device, manager });
      return { userId, credentialsVersion: await this.credentials.add(userId, passwordHash, manager) };
    });
  }

  /**
   * Turns an anonymous user into a registered one, who keeps their user id.
   * @throws DomainError not_anonymous, email_taken, unavailable
   */
  async convertAnonymousUser(userId: number, email: string, password: string): Promise<VerifiedUser> {
    const user = await this.users.getSelf(userId);
    if (!user.isAnonymous) throw new DomainError('not_anonymous');
    await this.requireUnusedEmail(email);
    const passwordHash = await this.hasher.hash(password);
    return this.executor.runInTransaction(async (manager) => {
      await this.users.convertAnonymousUser(userId, email, manager);
      return { userId, credentialsVersion: await this.credentials.add(userId, passwordHash, manager) };
    });
  }

  /**
   * Changes the e-mail address. Other logins of the user stay valid. The login of the request gets a new session id and
   * a new family, so that copies of its old cookie become invalid. A family is the chain of session ids that replaced
   * one another since a sign-in or credential change
   * (docs/decisions/0021-credential-changes-start-a-new-login-family.md).
   * @throws DomainError wrong_password, rate_limited, unavailable, email_taken, not_signed_in, forbidden (for an
   * anonymous user)
   */
  async changeEmail(
    request: Request,
    login: Login,
    newEmail: string,
    currentPassword: string,
  ): Promise<SelfUser> {
    await this.requirePassword(login.userId, currentPassword);
    // `users.changeEmail` also checks that the address is unused.
    await this.loginSessions.renew(request, login, (manager) =>
      this.users.changeEmail(login.userId, newEmail, manager),
    );
    return this.users.getSelf(login.userId);
  }

  /**
   * Changes the password and ends every other login of the user. No device counts as known any more (see `verify`). The
   * login of the request gets a new family, as in `changeEmail`.
   * @throws DomainError wrong_password, rate_limited, unavailable, not_signed_in, forbidden (for an anonymous user)
   */
  async changePassword(
    request: Request,
    login: Login,
    currentPassword: string,
    newPassword: string,
  ): Promise<VerifiedUser> {
    await this.requirePassword(login.userId, currentPassword);
    const passwordHash = await this.hasher.hash(newPassword);
    let credentialsVersion = 0; // set in the transaction below
    await this.loginSessions.renew(request, login, async (manager) => {
      credentialsVersion = await this.credentials.change(login.userId, passwordHash, manager);
      await this.loginSessions.removeOtherLogins(login, manager);
    });
    await this.loginSessions.closeSocketsOfOtherLogins(login);
    return { userId: login.userId, credentialsVersion };
  }

  /**
   * Confirms a signed-in user by their password.
   * @throws DomainError wrong_password, rate_limited, unavailable, forbidden (for an anonymous user)
   */
  async requirePassword(userId: number, password: string): Promise<void> {
    const credentials = await this.credentials.find(userId);
    if (!credentials) throw new DomainError('forbidden');
    const isCorrect = await this.limitFailures([['password_confirmations', userId]], () =>
      this.hasher.verify(credentials.passwordHash, password),
    );
    if (!isCorrect) throw new DomainError('wrong_password');
  }

  /**
   * Runs the verification of a password. The rate limits are charged before it, so that concurrent attempts count too,
   * and refunded if the password is correct or could not be verified.
   * @returns the result of `verifyPassword`: whether the password is correct.
   * @throws DomainError rate_limited; whatever `verifyPassword` throws
   */
  private async limitFailures(
    charges: readonly BucketCharge[],
    verifyPassword: () => Promise<boolean>,
  ): Promise<boolean> {
    const paidCharges: BucketCharge[] = [];
    let isRefundDue = true;
    try {
      for (const charge of charges) {
        await this.limiter.require(...charge);
        paidCharges.push(charge);
      }
      const isCorrect = await verifyPassword();
      isRefundDue = isCorrect;
      return isCorrect;
    } finally {
      if (isRefundDue) for (const charge of paidCharges) await this.limiter.refund(...charge);
    }
  }

  private async requireUnusedEmail(email: string): Promise<void> {
    if ((await this.users.findIdByEmail(email)) !== null) throw new DomainError('email_taken');
  }

  private async rehashIfOutdated(credentials: CredentialsEntity, password: string): Promise<void> {
    if (!this.hasher.isOutdated(credentials.passwordHash)) return;
    await this.credentials.rehash(credentials, await this.hasher.hash(password));
  }
}

const toVerifiedUser = ({ userId, version }: CredentialsEntity): VerifiedUser => ({
  userId,
  credentialsVersion: version,
});
