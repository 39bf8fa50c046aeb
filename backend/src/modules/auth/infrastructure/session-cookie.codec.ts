import { Inject, Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import { unsign } from 'cookie-signature';
import type { CookieOptions } from 'express';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';

const MIN_SECRET_BYTES = 32;
/** The prefix with which express-session marks a signed cookie. */
const SIGNED_PREFIX = 's:';

/**
 * Holds the settings of two signed cookies, and reads their values: the session cookie, and the known-device cookie of
 * `KnownDeviceService`, which recognises browsers in which a user has signed in (docs/product-decisions.md, A02).
 */
@Injectable()
export class SessionCookieCodec {
  /** Whether the public origin is https. A proxy may end TLS, so the protocol of a request does not show it. */
  readonly isSecure: boolean;
  readonly sessionCookieName: string;
  readonly knownDeviceCookieName: string;
  /** Options of both cookies, without a lifetime. The cookie of `DeviceCookieService` has them too. */
  readonly options: CookieOptions;
  /** The first secret signs; all of them verify, so that secrets can be rotated. */
  readonly secrets: readonly [string, ...string[]];

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'PUBLIC_ORIGIN' | 'SESSION_SECRET'>) {
    this.isSecure = environment.PUBLIC_ORIGIN?.startsWith('https:') ?? false;
    const prefix = this.isSecure ? '__Host-' : '';
    this.sessionCookieName = `${prefix}thaw.sid`;
    this.knownDeviceCookieName = `${prefix}thaw.device`;
    this.options = { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure };
    this.secrets = parseSecrets(environment.SESSION_SECRET);
  }

  /**
   * Reads the session id from a `Cookie` header and verifies its signature as express-session does.
   * @returns null when there is no session cookie, or its signature matches none of the secrets.
   */
  readSessionId(cookieHeader: string | undefined): string | null {
    const value = parse(cookieHeader ?? '')[this.sessionCookieName];
    if (!value?.startsWith(SIGNED_PREFIX)) return null;
    return this.readSigned(value.slice(SIGNED_PREFIX.length));
  }

  /** @returns the payload of a signed value; null when the signature matches none of the secrets. */
  readSigned(signedValue: string): string | null {
    for (const secret of this.secrets) {
      const payload = unsign(signedValue, secret);
      if (payload !== false) return payload;
    }
    return null;
  }
}

/**
 * @param text secrets separated by commas
 * @throws Error if there is no secret, or one is too short
 */
const parseSecrets = (text: string | undefined): [string, ...string[]] => {
  const secrets = (text ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  const [first, ...further] = secrets;
  if (first === undefined || secrets.some((secret) => Buffer.byteLength(secret) < MIN_SECRET_BYTES)) {
    throw new Error(`SESSION_SECRET (or SESSION_SECRET_FILE) must hold at least ${MIN_SECRET_BYTES} bytes`);
  }
  return [first, ...further];
};
