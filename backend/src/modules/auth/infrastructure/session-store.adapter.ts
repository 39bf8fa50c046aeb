import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type SessionData, Store } from 'express-session';
import type { Login } from '../../../platform/http/login.decorator';
import { SessionCookieCodec } from './session-cookie.codec';
import { SESSION_LIFETIME_MS, SessionRepository } from './session.repository';

declare module 'express-session' {
  interface SessionData {
    passport?: { user?: Express.User };
    /** When the session was last extended (epoch ms). A change makes express-session call `set` and send the cookie. */
    refreshedAt?: number;
    /** Whether the session was read from the table; undefined if it was created during this request. */
    isFromTable?: true;
  }
}

/** Calls `done`, a callback of express-session, when the work has ended. */
const callWhenDone = (work: Promise<void>, done?: (error?: unknown) => void): void => {
  work.then(
    () => done?.(),
    (error: unknown) => done?.(error),
  );
};

/**
 * Stores the sessions of logins in the table `sessions`. express-session calls `get`, `set` and `destroy`. Only
 * `replaceSession` writes a new session id to the table; `set` extends sessions that are already there.
 */
@Injectable()
export class SessionStoreAdapter extends Store {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly cookie: SessionCookieCodec,
  ) {
    super();
  }

  /**
   * Gives the request a new session for `login`. express-session sends the cookie of the new session with the response.
   * When `writeRow` throws, the request keeps its old session and no cookie is sent.
   * @param writeRow writes the new session id: to a new row at a sign-in, otherwise to the row of the old session
   */
  async replaceSession(
    request: Request,
    login: Login,
    writeRow: (newSessionId: string, oldSessionId: string) => Promise<void>,
  ): Promise<void> {
    const { sessionID: oldSessionId, session: oldSession } = request;
    // express-session has added `generate` to this store. It replaces request.sessionID and request.session.
    request.sessionStore.generate(request);
    try {
      await writeRow(request.sessionID, oldSessionId);
    } catch (error) {
      Object.assign(request, { sessionID: oldSessionId, session: oldSession });
      throw error;
    }
    request.session.passport = { user: login };
    request.user = login;
  }

  override get(sessionId: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.findSession(sessionId).then((session) => done(null, session), done);
  }

  override set(sessionId: string, session: SessionData, done?: (error?: unknown) => void): void {
    callWhenDone(this.refreshIfFromTable(sessionId, session), done);
  }

  override destroy(sessionId: string, done?: (error?: unknown) => void): void {
    callWhenDone(this.sessions.remove(sessionId), done);
  }

  private async findSession(sessionId: string): Promise<SessionData | null> {
    const row = await this.sessions.findValid(sessionId);
    if (!row) return null;
    const { userId, familyId, refreshedAt, expiresAt, access } = row;
    // The type demands the cookie class of express-session, but express-session accepts plain fields and creates the
    // instance from them.
    const cookie = {
      ...this.cookie.options,
      originalMaxAge: SESSION_LIFETIME_MS,
      expires: expiresAt,
    } as unknown as SessionData['cookie'];
    return {
      cookie,
      passport: { user: { userId, familyId, access } },
      refreshedAt: refreshedAt.getTime(),
      isFromTable: true,
    };
  }

  private async refreshIfFromTable(sessionId: string, session: SessionData): Promise<void> {
    // `replaceSession` has already written the row of a session that was created during this request.
    if (!session.isFromTable) return;
    // A session from the table has `refreshedAt`; the default is only for the compiler.
    await this.sessions.refresh(sessionId, new Date(session.refreshedAt ?? Date.now()));
  }
}
