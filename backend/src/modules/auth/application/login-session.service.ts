import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import type { Login } from '../../../platform/http/login.decorator';
import { AppLoggerService } from '../../../platform/observability/app-logger.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import {
  type ContinuedLogin,
  type NewSession,
  SessionRepository,
} from '../infrastructure/session.repository';
import { SessionCookieCodec } from '../infrastructure/session-cookie.codec';
import { SessionStoreAdapter } from '../infrastructure/session-store.adapter';

/**
 * Starts, renews and ends logins. A login is a family of successive sessions in one browser: each new session id
 * replaces the previous one. Sockets belong to the family, not to the session.
 */
@Injectable()
export class LoginSessionService {
  constructor(
    private readonly store: SessionStoreAdapter,
    private readonly sessions: SessionRepository,
    private readonly executor: CommandExecutorService,
    private readonly cookie: SessionCookieCodec,
    private readonly userPublisher: UserPublisherService,
    private readonly logger: AppLoggerService,
  ) {}

  /**
   * Starts a login in this browser and ends the previous one.
   * @throws DomainError invalid_credentials when the password was changed after it had been verified.
   */
  async begin(request: Request, user: Omit<NewSession, 'familyId'>): Promise<void> {
    const previousLogin = request.user;
    const login = { userId: user.userId, familyId: randomUUID() };
    await this.store.replaceSession(request, login, async (sessionId) => {
      const wasAdded = await this.sessions.add(sessionId, { ...user, ...login });
      if (!wasAdded) throw new DomainError('invalid_credentials');
    });
    if (!previousLogin) return;
    await this.sessions.removeFamily(previousLogin.familyId);
    await this.tryPublish(previousLogin.userId, () =>
      this.userPublisher.revokeFamilies(previousLogin.userId, [previousLogin.familyId]),
    );
  }

  /**
   * Gives the login a new session id; the family and its sockets stay.
   * @throws DomainError not_signed_in when the login has ended in the meantime.
   */
  async rotateSessionId(request: Request, login: Login): Promise<void> {
    await this.store.replaceSession(request, login, (newSessionId, oldSessionId) =>
      this.moveSession(oldSessionId, newSessionId, login),
    );
  }

  /**
   * Runs `work` and, in the same transaction, moves this browser to a new family, so that copies of the old cookie are
   * invalid from the commit on. The sockets of the old family are closed after the response with the new cookie is
   * sent: the page reconnects with the new cookie, while the holder of a copy of the old cookie is refused
   * (docs/decisions/0021-credential-changes-start-a-new-login-family.md).
   * @throws DomainError not_signed_in when the login has ended in the meantime; nothing is committed.
   */
  async renew(
    request: Request,
    login: Login,
    work: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    const renewedLogin = { userId: login.userId, familyId: randomUUID() };
    await this.store.replaceSession(request, renewedLogin, (newSessionId, oldSessionId) =>
      this.executor.runInTransaction(async (manager) => {
        await work(manager);
        await this.moveSession(
          oldSessionId,
          newSessionId,
          { ...renewedLogin, previousFamilyId: login.familyId },
          manager,
        );
        await this.sessions.removeFamily(login.familyId, manager);
      }),
    );
    const { res: response } = request;
    // Unlike `revokeFamilies`, `restartFamily` makes pages reconnect.
    const closeSockets = () =>
      void this.tryPublish(login.userId, () =>
        this.userPublisher.restartFamily(login.userId, login.familyId),
      );
    // `close` is emitted exactly once, even when the connection breaks before the response is sent.
    if (response && !response.closed) response.once('close', closeSockets);
    else closeSockets();
  }

  /** Ends the request's login, if any: deletes its session and closes its sockets on all replicas. */
  async end(request: Request): Promise<void> {
    const login = request.user;
    if (!login) return;
    await this.sessions.removeFamily(login.familyId);
    await this.destroySession(request);
    await this.tryPublish(login.userId, () =>
      this.userPublisher.revokeFamilies(login.userId, [login.familyId]),
    );
  }

  /**
   * Removes the login of a deleted user from the request and from this browser. The stored sessions were deleted with
   * the user. Also clears the cookie of the known device, which serves only later logins of the same user.
   */
  async forget(request: Request, response: Response): Promise<void> {
    await this.destroySession(request);
    for (const name of [this.cookie.sessionCookieName, this.cookie.knownDeviceCookieName])
      response.clearCookie(name, this.cookie.options);
  }

  /**
   * Deletes the sessions of all other logins of the user. Call it in the transaction of the change that requires it,
   * and `closeSocketsOfOtherLogins` after the commit.
   */
  async removeOtherLogins({ userId, familyId }: Login, manager: EntityManager): Promise<void> {
    await this.sessions.removeOtherFamilies(userId, familyId, manager);
  }

  /** Closes the sockets of all other logins of the user, on all replicas. */
  async closeSocketsOfOtherLogins({ userId, familyId }: Login): Promise<void> {
    await this.tryPublish(userId, () => this.userPublisher.revokeFamilies(userId, 'all', familyId));
  }

  private destroySession(request: Request): Promise<void> {
    return new Promise((resolve, reject) => {
      request.session.destroy((error?: Error) => (error ? reject(error) : resolve()));
    });
  }

  /** @throws DomainError not_signed_in when the session has ended in the meantime. */
  private async moveSession(
    oldSessionId: string,
    newSessionId: string,
    login: ContinuedLogin,
    manager?: EntityManager,
  ): Promise<void> {
    const wasReplaced = await this.sessions.replaceId(oldSessionId, newSessionId, login, manager);
    if (!wasReplaced) throw new DomainError('not_signed_in');
  }

  /**
   * Never throws. A lost publication only delays the closing of sockets: every replica checks the families of its
   * sockets periodically.
   */
  private async tryPublish(userId: number, publish: () => Promise<void>): Promise<void> {
    try {
      await publish();
    } catch (error) {
      this.logger.logFailure('The end of a login could not be published', error, { userId });
    }
  }
}
