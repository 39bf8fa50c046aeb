import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { cookieValue } from './cookie-header';
import { SessionCookie } from './session-cookie';

const REMEMBERED_FOR_MS = 365 * 24 * 60 * 60 * 1_000;

const sign = (payload: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`thaw.device:${payload}`).digest();

/**
 * Remembers browsers in which somebody has signed in before, so that whoever guesses at an account cannot lock its
 * owner out. https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
@Injectable()
export class KnownDevices {
  constructor(private readonly cookie: SessionCookie) {}

  /** The device's own name when this user has signed in on it before; null otherwise. */
  deviceOf(request: Pick<Request, 'headers'>, userId: number): string | null {
    const value = cookieValue(request.headers.cookie, this.cookie.deviceName);
    const [user, device, signature] = value?.split('.') ?? [];
    if (!user || !device || !signature || user !== String(userId)) return null;
    const given = Buffer.from(signature, 'base64url');
    const isGenuine = this.cookie.secrets.some((secret) => {
      const expected = sign(`${user}.${device}`, secret);
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return isGenuine ? device : null;
  }

  remember(response: Response, userId: number): void {
    const payload = `${userId}.${randomBytes(16).toString('base64url')}`;
    const signature = sign(payload, this.cookie.secrets[0]).toString('base64url');
    const options = { ...this.cookie.options, maxAge: REMEMBERED_FOR_MS };
    response.cookie(this.cookie.deviceName, `${payload}.${signature}`, options);
  }
}
