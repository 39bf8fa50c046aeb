import { Inject, Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import { unsign } from 'cookie-signature';
import type { CookieOptions } from 'express';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';

const MIN_SECRET_BYTES = 32;

/** Names, flags and signing secrets of the session and device cookies (A02). */
@Injectable()
export class SessionCookieCodec {
  /** Whether the public origin is https, regardless of the protocol of the last hop. */
  readonly isSecure: boolean;
  readonly name: string;
  readonly deviceName: string;
  readonly options: CookieOptions;
  /** The first secret signs; all of them verify. */
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
   * Reads the session id from a `Cookie` header. Verifies the signature as express-session does, without the request
   * and response objects that it needs.
   * @returns null when there is no session cookie, or none of our secrets has signed it.
   */
  sessionIdIn(header: string | undefined): string | null {
    const value = parse(header ?? '')[this.name];
    return value?.startsWith(SIGNED) ? this.verified(value.slice(SIGNED.length)) : null;
  }

  /** @returns the payload if one of our secrets has signed it; otherwise null. */
  verified(signed: string): string | null {
    for (const secret of this.secrets) {
      const value = unsign(signed, secret);
      if (value !== false) return value;
    }
    return null;
  }
}

/** The prefix with which express-session marks a signed cookie. */
const SIGNED = 's:';

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
