import { Injectable } from '@nestjs/common';
import { type SessionData, Store } from 'express-session';
import { DomainError } from '../../../platform/errors/domain-error';
import { SessionCookie } from './session-cookie';
import { type NewSession, SESSION_LIFETIME_MS, SessionRepository } from './session.repository';

declare module 'express-session' {
  interface SessionData {
    passport?: { user?: NewSession };
    /** Epoch milliseconds; a change makes express-session save, and send the cookie anew. */
    refreshedAt?: number;
    /** It came from the store: saving it changes a row, and never makes one. */
    isStored?: true;
  }
}

/** Sessions of express-session in PostgreSQL. Only those of somebody signed in are kept. */
@Injectable()
export class SessionStore extends Store {
  /** Made by this very request; express-session saves such a session once more when the request ends. */
  private readonly added = new WeakSet<SessionData>();

  constructor(
    private readonly sessions: SessionRepository,
    private readonly settings: SessionCookie,
  ) {
    super();
  }

  override get(sessionId: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.find(sessionId).then((session) => done(null, session), done);
  }

  override set(sessionId: string, session: SessionData, done?: (error?: unknown) => void): void {
    this.save(sessionId, session).then(
      () => done?.(),
      (error: unknown) => done?.(error),
    );
  }

  override destroy(sessionId: string, done?: (error?: unknown) => void): void {
    this.sessions.remove(sessionId).then(
      () => done?.(),
      (error: unknown) => done?.(error),
    );
  }

  private async find(sessionId: string): Promise<SessionData | null> {
    const row = await this.sessions.findValid(sessionId);
    if (!row) return null;
    const { userId, familyId, refreshedAt, expiresAt } = row;
    // express-session turns what it is given into a cookie of its own class.
    const cookie = {
      ...this.settings.options,
      originalMaxAge: SESSION_LIFETIME_MS,
      expires: expiresAt,
    } as unknown as SessionData['cookie'];
    return {
      cookie,
      passport: { user: { userId, familyId } },
      refreshedAt: refreshedAt.getTime(),
      isStored: true,
    };
  }

  private async save(sessionId: string, session: SessionData): Promise<void> {
    const login = session.passport?.user;
    if (!login || this.added.has(session)) return;
    if (session.isStored) {
      return this.sessions.refresh(sessionId, new Date(session.refreshedAt ?? Date.now()));
    }
    if (!(await this.sessions.add(sessionId, login))) throw new DomainError('invalid_credentials');
    this.added.add(session);
  }
}
