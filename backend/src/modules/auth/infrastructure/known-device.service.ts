import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import { sign } from 'cookie-signature';
import type { Request, Response } from 'express';
import type { VerifiedUser } from '../application/verified-user.types';
import { SessionCookieCodec } from './session-cookie.codec';

const COOKIE_LIFETIME_MS = 365 * 24 * 60 * 60 * 1_000;
const DEVICE_ID_BYTES = 16;
/** Session ids are signed with the same secrets; the prefix keeps a session cookie from being accepted as a device. */
const PAYLOAD_PREFIX = 'device';

/**
 * Remembers the browsers in which a user has signed in, so that failed guesses elsewhere cannot lock the user out. The
 * signed cookie contains `device.<user id>.<credentials version>.<device id>`. A password change increments the version
 * of the credentials, which makes all devices unknown. The cookie of `DeviceCookieService` is another one: it
 * identifies the browser itself, for all users.
 * https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
@Injectable()
export class KnownDeviceService {
  constructor(private readonly cookie: SessionCookieCodec) {}

  /** @returns the device id if this user has signed in on it with the current password; otherwise null. */
  findDeviceId(
    request: Pick<Request, 'headers'>,
    { userId, credentialsVersion }: VerifiedUser,
  ): string | null {
    const signedPayload = parse(request.headers.cookie ?? '')[this.cookie.knownDeviceCookieName];
    const payload = signedPayload === undefined ? null : this.cookie.readSigned(signedPayload);
    const [prefix, user, version, deviceId] = payload?.split('.') ?? [];
    const isOfUser =
      prefix === PAYLOAD_PREFIX && user === String(userId) && version === String(credentialsVersion);
    return isOfUser && deviceId ? deviceId : null;
  }

  /**
   * Sets the device cookie of a user who has just signed in. Failed logins with this cookie are limited per device id,
   * and each call creates a new id.
   */
  remember(response: Response, { userId, credentialsVersion }: VerifiedUser): void {
    const deviceId = randomBytes(DEVICE_ID_BYTES).toString('base64url');
    const payload = [PAYLOAD_PREFIX, userId, credentialsVersion, deviceId].join('.');
    const [signingSecret] = this.cookie.secrets;
    const options = { ...this.cookie.options, maxAge: COOKIE_LIFETIME_MS };
    response.cookie(this.cookie.knownDeviceCookieName, sign(payload, signingSecret), options);
  }
}
