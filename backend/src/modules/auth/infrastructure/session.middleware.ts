import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import session from 'express-session';
import { SessionCookieCodec } from './session-cookie.codec';
import { SESSION_LIFETIME_MS } from './session.repository';
import { SessionStoreAdapter } from './session-store.adapter';

export const SESSION_MIDDLEWARE = Symbol('SESSION_MIDDLEWARE');

const REFRESH_AFTER_MS = 60 * 60 * 1_000;

/** Finds the session of a request's cookie; ids that we did not make are never adopted. */
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
 * express-session leaves a Secure cookie out, without a word, when the request came by http; behind a proxy that ends
 * TLS every request does.
 */
export const trustPublicOrigin =
  (cookie: SessionCookieCodec): RequestHandler =>
  (request, _response, next) => {
    if (cookie.isSecure) Object.defineProperty(request, 'secure', { value: true });
    next();
  };

/** At most once an hour a session that is in use gets its thirty days anew. */
export const refreshSession: RequestHandler = (request, _response, next) => {
  const { session: current } = request;
  const now = Date.now();
  if (current.isStored && now - (current.refreshedAt ?? 0) > REFRESH_AFTER_MS) current.refreshedAt = now;
  next();
};
