import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type SessionData, Store } from 'express-session';
import type { Login } from '../../../platform/http/login.decorator';
import { SessionCookieCodec } from './session-cookie.codec';
import { SESSION_LIFETIME_MS, SessionRepository } from './session.repository';

declare module 'express-session' {
  interface SessionData {
    passport?: { user?: Login };
    /** Epoch milliseconds. Changing it makes express-session save the session and send the cookie again. */
    refreshedAt?: number;
    /** Set on sessions read from the store. Only these are saved: `save` updates a row and never inserts one. */
    isStored?: true;
  }
}

/** express-session store in PostgreSQL. Only sessions of a login are stored, by `replace`. */
@Injectable()
export class SessionStoreAdapter extends Store {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly cookie: SessionCookieCodec,
  ) {
    super();
  }

  /**
   * Replaces the request's session by one with a new id. express-session sends its cookie with the response. When
   * `write` throws, the request keeps its session and no cookie is sent.
   * @param write stores the new session under the given id
   */
  async replace(
    request: Request,
    login: Login,
    write: (sessionId: string, replacedId: string) => Promise<void>,
  ): Promise<void> {
    const { sessionID, session } = request;
    request.sessionStore.generate(request);
    try {
      await write(request.sessionID, sessionID);
    } catch (error) {
      Object.assign(request, { sessionID, session });
      throw error;
    }
    request.session.passport = { user: login };
    request.user = login;
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
    // express-session wraps this in its own cookie class.
    const cookie = {
      ...this.cookie.options,
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
    // A session created during this request has been stored by `replace`.
    if (!session.isStored) return;
    await this.sessions.refresh(sessionId, new Date(session.refreshedAt ?? Date.now()));
  }
}
