import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions } from 'express';
import { ENVIRONMENT, type Environment } from '../../../config/environment';
import { cookieValue } from './cookie-header';

const MIN_SECRET_BYTES = 32;

/** Names, flags and secrets of the cookies that say who somebody is (A02). */
@Injectable()
export class SessionCookie {
  /** The page is served on https, whatever the last hop to us speaks. */
  readonly isSecure: boolean;
  readonly name: string;
  readonly deviceName: string;
  readonly options: CookieOptions;
  /** The first signs, all verify. */
  readonly secrets: readonly [string, ...string[]];

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'PUBLIC_ORIGIN' | 'SESSION_SECRET'>) {
    this.isSecure = environment.PUBLIC_ORIGIN?.startsWith('https:') ?? false;
    const prefix = this.isSecure ? '__Host-' : '';
    this.name = `${prefix}thaw.sid`;
    this.deviceName = `${prefix}thaw.device`;
    this.options = { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure };
    this.secrets = parseSecrets(environment.SESSION_SECRET);
  }

  /**
   * The session id in a `Cookie` header, verified as express-session does it (`s:<id>.<HMAC-SHA256 in base64>`,
   * percent-encoded), without the request and response objects that it needs.
   * @returns null when there is none, or no secret of ours has signed it.
   */
  sessionIdIn(header: string | undefined): string | null {
    const signed = decoded(cookieValue(header, this.name));
    if (!signed?.startsWith(SIGNED)) return null;
    const dot = signed.lastIndexOf('.');
    const sessionId = signed.slice(SIGNED.length, dot);
    const given = Buffer.from(signed.slice(dot + 1));
    const isGenuine = this.secrets.some((secret) => {
      const signature = createHmac('sha256', secret).update(sessionId).digest('base64');
      const expected = Buffer.from(signature.replace(/=+$/, ''));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return isGenuine ? sessionId : null;
  }
}

const SIGNED = 's:';

const decoded = (value: string | undefined): string | null => {
  try {
    return value === undefined ? null : decodeURIComponent(value);
  } catch {
    return null; // no encoding of ours
  }
};

const parseSecrets = (text: string | undefined): [string, ...string[]] => {
  const [first, ...further] = (text ?? '').split(',').flatMap((secret) => secret.trim() || []);
  if (
    first === undefined ||
    [first, ...further].some((secret) => Buffer.byteLength(secret) < MIN_SECRET_BYTES)
  ) {
    throw new Error(`SESSION_SECRET (or SESSION_SECRET_FILE) must hold at least ${MIN_SECRET_BYTES} bytes`);
  }
  return [first, ...further];
};
