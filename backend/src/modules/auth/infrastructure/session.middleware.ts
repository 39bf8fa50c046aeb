import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import session from 'express-session';
import { SessionCookieCodec } from './session-cookie.codec';
import { SESSION_LIFETIME_MS } from './session.repository';
import { SessionStoreAdapter } from './session-store.adapter';

export const SESSION_MIDDLEWARE = Symbol('SESSION_MIDDLEWARE');

const REFRESH_AFTER_MS = 60 * 60 * 1_000;

/** Loads the session of the request's cookie. Session ids that the server did not issue are never adopted. */
export const createSessionMiddleware = (
  cookie: SessionCookieCodec,
  store: SessionStoreAdapter,
): RequestHandler =>
  session({
    name: cookie.name,
    secret: [...cookie.secrets],
    store,
    genid: () => randomBytes(32).toString('base64url'),
    cookie: { ...cookie.options, maxAge: SESSION_LIFETIME_MS },
    resave: false,
    saveUninitialized: false,
    rolling: false,
  });

/**
 * express-session silently omits a Secure cookie when the request came over http, which is the case for every request
 * behind a proxy that terminates TLS.
 */
export const trustPublicOrigin =
  (cookie: SessionCookieCodec): RequestHandler =>
  (request, _response, next) => {
    if (cookie.isSecure) Object.defineProperty(request, 'secure', { value: true });
    next();
  };

/** Extends a session in use by another thirty days, at most once an hour. */
export const refreshSession: RequestHandler = (request, _response, next) => {
  const { session: current } = request;
  const now = Date.now();
  if (current.isStored && now - (current.refreshedAt ?? 0) > REFRESH_AFTER_MS) current.refreshedAt = now;
  next();
};
