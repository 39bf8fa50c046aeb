import type { RequestHandler } from 'express';
import type { Environment } from '../../config/environment.config';

const YEAR_S = 365 * 24 * 60 * 60;

/** @param host the host to which the page may open sockets; '' for none. */
const buildContentSecurityPolicy = (host: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'", // prerendered pages contain style attributes
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    // In CSP level 2, 'self' does not include WebSockets.
    `connect-src 'self'${host && ` ws://${host} wss://${host}`}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Sets the security headers of every response, of the page and of the API. */
export const setSecurityHeaders = ({ PUBLIC_ORIGIN }: Pick<Environment, 'PUBLIC_ORIGIN'>): RequestHandler => {
  const isHttps = PUBLIC_ORIGIN?.startsWith('https:') ?? false;
  const publicHost = PUBLIC_ORIGIN && new URL(PUBLIC_ORIGIN).host;
  return (request, response, next) => {
    const host = publicHost ?? request.headers.host ?? '';
    // Only a name or an IP address, with or without a port: a malformed Host header could add directives to the policy.
    const safeHost = /^[\w.:[\]-]+$/.test(host) ? host : '';
    response.set({
      'Content-Security-Policy': buildContentSecurityPolicy(safeHost),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    if (isHttps) response.set('Strict-Transport-Security', `max-age=${YEAR_S}`);
    next();
  };
};
