import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import type { Login } from '../../../platform/http/login.decorator';
import { AppLoggerService } from '../../../platform/observability/app-logger.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { type NewSession, SessionRepository } from '../infrastructure/session.repository';
import { SessionStoreAdapter } from '../infrastructure/session-store.adapter';

/** Starts, renews and ends logins. A login is a family of successive sessions; sockets belong to the family. */
@Injectable()
export class LoginSessionService {
  constructor(
    private readonly store: SessionStoreAdapter,
    private readonly sessions: SessionRepository,
    private readonly executor: CommandExecutorService,
    private readonly userPublisher: UserPublisherService,
    private readonly logger: AppLoggerService,
  ) {}

  /**
   * Starts a login in this browser and ends the previous one.
   * @throws DomainError invalid_credentials when the password was changed after it had been verified.
   */
  async begin(request: Request, user: Omit<NewSession, 'familyId'>): Promise<void> {
    const previous = request.user;
    const login = { userId: user.userId, familyId: randomUUID() };
    await this.store.replace(request, login, async (sessionId) => {
      if (!(await this.sessions.add(sessionId, { ...user, ...login }))) {
        throw new DomainError('invalid_credentials');
      }
    });
    if (!previous) return;
    await this.sessions.removeFamily(previous.familyId);
    await this.publish(
      () => this.userPublisher.revokeFamilies(previous.userId, [previous.familyId]),
      previous,
    );
  }

  /**
   * Moves the login to a new session id.
   * @throws DomainError not_signed_in when the login has ended in the meantime.
   */
  async rotate(request: Request, login: Login): Promise<void> {
    await this.store.replace(request, login, (sessionId, replacedId) =>
      this.move(replacedId, sessionId, login),
    );
  }

  /**
   * Runs `work` and, in the same transaction, moves this browser to a new family, so that copies of the old cookie are
   * invalid from the commit on. The sockets of the old family are closed once the response is sent: the page reconnects
   * with the new cookie, the holder of a copied cookie is refused.
   * @throws DomainError not_signed_in when the login has ended in the meantime; nothing is committed.
   */
  async renew(
    request: Request,
    login: Login,
    work: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    const renewed = { userId: login.userId, familyId: randomUUID() };
    await this.store.replace(request, renewed, (sessionId, replacedId) =>
      this.executor.inTransaction(async (manager) => {
        await work(manager);
        await this.move(replacedId, sessionId, renewed, manager);
        await this.sessions.removeFamily(login.familyId, manager);
      }),
    );
    const { res: response } = request;
    const closeSockets = () =>
      void this.publish(() => this.userPublisher.restartFamily(login.userId, login.familyId), login);
    // The connection may break before the response is sent; `close` is emitted in either case, exactly once.
    if (response && !response.closed) response.once('close', closeSockets);
    else closeSockets();
  }

  /** Ends the request's login, if any: deletes its session and closes its sockets on all replicas. */
  async end(request: Request): Promise<void> {
    const login = request.user;
    if (!login) return;
    await this.sessions.removeFamily(login.familyId);
    await new Promise<void>((resolve, reject) => {
      request.session.destroy((error?: Error) => (error ? reject(error) : resolve()));
    });
    await this.publish(() => this.userPublisher.revokeFamilies(login.userId, [login.familyId]), login);
  }

  /** Call this in the transaction of the change that requires it, and `closeOthers` after the commit. */
  async removeOthers({ userId, familyId }: Login, manager: EntityManager): Promise<void> {
    await this.sessions.removeOtherFamilies(userId, familyId, manager);
  }

  /** Closes the sockets of all other logins of the user, on all replicas. */
  async closeOthers({ userId, familyId }: Login): Promise<void> {
    await this.publish(() => this.userPublisher.revokeFamilies(userId, 'all', familyId), { userId });
  }

  private async move(fromId: string, toId: string, login: Login, manager?: EntityManager): Promise<void> {
    if (!(await this.sessions.move(fromId, toId, login, manager))) throw new DomainError('not_signed_in');
  }

  private async publish(publication: () => Promise<void>, { userId }: Pick<Login, 'userId'>): Promise<void> {
    try {
      await publication();
    } catch (error) {
      // Only the immediate close is lost: every replica checks the families of its sockets periodically.
      this.logger.failure('The end of a login could not be published', error, { userId });
    }
  }
}
