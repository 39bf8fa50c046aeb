import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { UserLookupService } from '../../users/application/user-lookup.service';
import { CredentialsRepository } from '../infrastructure/credentials.repository';
import { PasswordHasherService } from '../infrastructure/password-hasher.service';
import { SessionRepository } from '../infrastructure/session.repository';

/** 96 bits, as 16 characters. */
const PASSWORD_BYTES = 12;

/** Sets new passwords for users who forgot theirs. Only used by the operators' program `main.passwords`. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly users: UserLookupService,
    private readonly credentials: CredentialsRepository,
    private readonly sessions: SessionRepository,
    private readonly hasher: PasswordHasherService,
    private readonly executor: CommandExecutorService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Replaces the password of the registered user with this address by a random one, and signs the user out everywhere.
   * The change increments the version of the credentials: logins in progress fail, and cookies of known devices
   * (browsers in which the user has signed in) become invalid.
   * @returns null when no user has the address.
   */
  async reset(email: string): Promise<{ userId: number; password: string } | null> {
    const userId = await this.users.findIdByEmail(email);
    if (userId === null) return null;
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const passwordHash = await this.hasher.hash(password);
    await this.executor.runInTransaction(async (manager) => {
      await this.credentials.change(userId, passwordHash, manager);
      await this.sessions.removeSessionsOfUser(userId, manager);
    });
    // Closes the sockets of all logins. A family is one login: the session ids that replace one another in it. If
    // publishing fails, the sockets close later: every replica checks the logins of its sockets periodically.
    await this.userPublisher.revokeFamilies(userId, 'all').catch(() => undefined);
    return { userId, password };
  }
}
