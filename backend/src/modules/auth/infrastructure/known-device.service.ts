import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import { sign } from 'cookie-signature';
import type { Request, Response } from 'express';
import type { VerifiedUser } from '../application/verified-user.types';
import { SessionCookieCodec } from './session-cookie.codec';

const REMEMBERED_FOR_MS = 365 * 24 * 60 * 60 * 1_000;
/** Prefix of the signed payload: session ids are signed with the same secrets, and must not pass for a device. */
const KIND = 'device';

/**
 * Remembers browsers in which a user has signed in, so that failed guesses elsewhere cannot lock the owner out. The
 * cookie contains the version of the credentials, so changing the password invalidates all devices.
 * https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
@Injectable()
export class KnownDeviceService {
  constructor(private readonly cookie: SessionCookieCodec) {}

  /** @returns the device id if this user has signed in on it with the current password; otherwise null. */
  deviceOf(request: Pick<Request, 'headers'>, { userId, credentialsVersion }: VerifiedUser): string | null {
    const value = parse(request.headers.cookie ?? '')[this.cookie.deviceName];
    const payload = value === undefined ? null : this.cookie.verified(value);
    const [kind, user, version, device] = payload?.split('.') ?? [];
    const isOfUser = kind === KIND && user === String(userId) && version === String(credentialsVersion);
    return isOfUser && device ? device : null;
  }

  remember(response: Response, { userId, credentialsVersion }: VerifiedUser): void {
    const payload = [KIND, userId, credentialsVersion, randomBytes(16).toString('base64url')].join('.');
    const options = { ...this.cookie.options, maxAge: REMEMBERED_FOR_MS };
    response.cookie(this.cookie.deviceName, sign(payload, this.cookie.secrets[0]), options);
  }
}
