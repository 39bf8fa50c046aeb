import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import type { Device } from '../../../platform/process-events/process-event-map.types';
import { SessionCookieCodec } from './session-cookie.codec';

const COOKIE_LIFETIME_MS = 400 * 24 * 60 * 60 * 1_000;
const DEVICE_ID_BYTES = 16;
const MIN_SECRET_BYTES = 32;

/**
 * A cookie with a random id of the browser, by which new accounts of sanctioned users are recognised. It outlives
 * logins. The server stores only the SHA-256 of the id. The cookie is signed, so that a client cannot choose its id;
 * the secret is SAFETY_SECRET, because the secret of sessions is rotated.
 */
@Injectable()
export class DeviceCookieService {
  private readonly name: string;
  private readonly secret: string;

  constructor(
    private readonly cookie: SessionCookieCodec,
    @Inject(ENVIRONMENT) { SAFETY_SECRET: secret = '' }: Pick<Environment, 'SAFETY_SECRET'>,
  ) {
    if (Buffer.byteLength(secret) < MIN_SECRET_BYTES)
      throw new Error(`SAFETY_SECRET (or SAFETY_SECRET_FILE) must hold at least ${MIN_SECRET_BYTES} bytes`);
    this.secret = secret;
    this.name = `${cookie.isSecure ? '__Host-' : ''}thaw.did`;
  }

  /** @returns the hash of the browser's id; null when the browser has none, or one that is not signed. */
  findDeviceHash(request: Pick<Request, 'headers'>): string | null {
    const deviceId = this.readId(request);
    return deviceId === null ? null : hashId(deviceId);
  }

  /** Gives the browser an id unless it has one. */
  ensureDevice(request: Pick<Request, 'headers'>, response: Response): Device {
    const known = this.readId(request);
    const isNew = known === null;
    const deviceId = known ?? randomBytes(DEVICE_ID_BYTES).toString('base64url');
    if (isNew) {
      const options = { ...this.cookie.options, maxAge: COOKIE_LIFETIME_MS };
      response.cookie(this.name, sign(deviceId, this.secret), options);
    }
    return { hash: hashId(deviceId), isNew };
  }

  private readId(request: Pick<Request, 'headers'>): string | null {
    const value = parse(request.headers.cookie ?? '')[this.name];
    const deviceId = value === undefined ? false : unsign(value, this.secret);
    return deviceId === false ? null : deviceId;
  }
}

const hashId = (deviceId: string): string => createHash('sha256').update(deviceId).digest('hex');
