import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import type { Device } from '../../../platform/process-events/process-event-map.types';
import { SessionCookieCodec } from './session-cookie.codec';

/** The longest lifetime that browsers accept. */
const COOKIE_LIFETIME_MS = 400 * 24 * 60 * 60 * 1_000;
const DEVICE_ID_BYTES = 16;
const MIN_SECRET_BYTES = 32;

/**
 * Identifies browsers, so that new accounts of sanctioned users are recognised. A cookie with a random id outlives
 * logins; the server stores only the SHA-256 of the id.
 *
 * The cookie is signed, so that a client cannot choose its id. It is signed with SAFETY_SECRET, because each rotation
 * of the session secret would invalidate all device cookies. Another cookie, that of `KnownDeviceService`, only affects
 * the limits on password guessing.
 */
@Injectable()
export class DeviceCookieService {
  private readonly cookieName: string;
  private readonly secret: string;

  constructor(
    private readonly sessionCookie: SessionCookieCodec,
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'SAFETY_SECRET'>,
  ) {
    const secret = environment.SAFETY_SECRET ?? '';
    if (Buffer.byteLength(secret) < MIN_SECRET_BYTES)
      throw new Error(`SAFETY_SECRET (or SAFETY_SECRET_FILE) must hold at least ${MIN_SECRET_BYTES} bytes`);
    this.secret = secret;
    this.cookieName = `${sessionCookie.isSecure ? '__Host-' : ''}thaw.did`;
  }

  /** @returns the hash of the browser's id; null when the browser has no id, or one without a valid signature. */
  findDeviceHash(request: Pick<Request, 'headers'>): string | null {
    const deviceId = this.readDeviceId(request);
    return deviceId === null ? null : hashId(deviceId);
  }

  /** Sets the cookie with a new id, unless the browser has a valid one. */
  ensureDevice(request: Pick<Request, 'headers'>, response: Response): Device {
    const existingId = this.readDeviceId(request);
    if (existingId !== null) return { hash: hashId(existingId), isNew: false };
    const newId = randomBytes(DEVICE_ID_BYTES).toString('base64url');
    const options = { ...this.sessionCookie.options, maxAge: COOKIE_LIFETIME_MS };
    response.cookie(this.cookieName, sign(newId, this.secret), options);
    return { hash: hashId(newId), isNew: true };
  }

  private readDeviceId(request: Pick<Request, 'headers'>): string | null {
    const signedId = parse(request.headers.cookie ?? '')[this.cookieName];
    if (signedId === undefined) return null;
    const deviceId = unsign(signedId, this.secret);
    return deviceId === false ? null : deviceId;
  }
}

const hashId = (deviceId: string): string => createHash('sha256').update(deviceId).digest('hex');
