import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { EntityManager } from 'typeorm';
import type { Login } from '../../../platform/http/login';
import { AppLogger } from '../../../platform/observability/app-logger';
import { UserChannels } from '../../../platform/realtime/user-channels';
import { type NewSession, SessionRepository } from '../infrastructure/session.repository';

/** Begins, renews and ends logins. A login is a family of sessions, one after another; sockets hang on the family. */
@Injectable()
export class Logins {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly channels: UserChannels,
    private readonly logger: AppLogger,
  ) {}

  /** A new login in this browser; the one that was there before ends. */
  async begin(request: Request, user: Omit<NewSession, 'familyId'>): Promise<void> {
    const previous = request.user;
    await establish(request, { ...user, familyId: randomUUID() });
    if (previous) await this.revoke(previous.userId, [previous.familyId]);
  }

  /** The same login under another session id. */
  async rotate(request: Request, { userId, familyId }: Login): Promise<void> {
    await establish(request, { userId, familyId });
  }

  /** Ends the request's login, if there is one: its session, and its sockets wherever they are. */
  async end(request: Request): Promise<void> {
    const login = request.user;
    if (!login) return;
    await this.sessions.removeFamily(login.familyId);
    await new Promise<void>((resolve, reject) => {
      request.session.destroy((error?: Error) => (error ? reject(error) : resolve()));
    });
    await this.revoke(login.userId, [login.familyId]);
  }

  /** To be called in the transaction that is the reason; `tellOthers` follows when it is committed. */
  async removeOthers({ userId, familyId }: Login, manager: EntityManager): Promise<void> {
    await this.sessions.removeOtherFamilies(userId, familyId, manager);
  }

  /** Closes the sockets of every other login of the user. */
  async tellOthers({ userId, familyId }: Login): Promise<void> {
    await this.revoke(userId, 'all', familyId);
  }

  private async revoke(userId: number, families: 'all' | readonly string[], except?: string): Promise<void> {
    try {
      await this.channels.revokeFamilies(userId, families, except);
    } catch (error) {
      // Only the quick way is lost: every replica asks for the families of its sockets again and again.
      this.logger.failure('Sockets of an ended login could not be told', error, { userId });
    }
  }
}

/** Passport destroys the old session, makes a new id, and saves. */
const establish = (request: Request, login: NewSession): Promise<void> =>
  new Promise((resolve, reject) => {
    request.logIn(login, (error?: Error) => (error ? reject(error) : resolve()));
  });
