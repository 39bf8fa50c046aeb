import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import { SessionCookieCodec } from './session-cookie.codec';
import { SESSION_LIFETIME_MS } from './session.repository';
import { SessionStoreAdapter } from './session-store.adapter';

export const SESSION_MIDDLEWARE = Symbol('SESSION_MIDDLEWARE');

const REFRESH_AFTER_MS = 60 * 60 * 1_000;

/** Loads the session of the request's cookie. A session id that the store does not have is replaced by a new one. */
export const createSessionMiddleware = (
  cookie: SessionCookieCodec,
  store: SessionStoreAdapter,
): RequestHandler =>
  session({
    name: cookie.sessionCookieName,
    secret: [...cookie.secrets],
    store,
    genid: () => randomBytes(32).toString('base64url'),
    cookie: { ...cookie.options, maxAge: SESSION_LIFETIME_MS },
    resave: false,
    saveUninitialized: false,
    rolling: false,
  });

/**
 * Marks requests as secure if the public origin is https. Behind a proxy that terminates TLS every request arrives over
 * http, and express-session silently omits a Secure cookie from the response to such a request.
 */
export const markRequestsSecureForHttpsOrigin =
  (cookie: SessionCookieCodec): RequestHandler =>
  (request, _response, next) => {
    if (cookie.isSecure) Object.defineProperty(request, 'secure', { value: true });
    next();
  };

/**
 * Refreshes a session in use, which extends it to another thirty days, at most once an hour. The change of
 * `refreshedAt` makes express-session save the session and send the cookie again.
 * @param onRefreshed called with the user of a refreshed session, and the request
 */
export const createRefreshMiddleware =
  (onRefreshed: (userId: number, request: Request) => void): RequestHandler =>
  (request, _response, next) => {
    const { session: currentSession } = request;
    // express-session has created this session because the request has no valid cookie. It is not stored.
    if (!currentSession.isFromTable) return next();
    const nowMs = Date.now();
    const sinceRefreshMs = nowMs - (currentSession.refreshedAt ?? 0);
    if (sinceRefreshMs <= REFRESH_AFTER_MS) return next();
    currentSession.refreshedAt = nowMs;
    // `request.user` is not set yet: passport.session() runs after this middleware.
    const userId = currentSession.passport?.user?.userId;
    if (userId !== undefined) onRefreshed(userId, request);
    next();
  };
