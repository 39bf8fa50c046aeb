import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-local';
import { toRateLimitSubject } from '../../../platform/http/rate-limit-subject.functions';
import { AuthService } from '../application/auth.service';
import type { VerifiedUser } from '../application/verified-user.types';
import { KnownDeviceService } from '../infrastructure/known-device.service';

/** The Passport strategy that verifies e-mail and password. `PasswordGuard` applies it to a route. */
@Injectable()
export class PasswordStrategy extends PassportStrategy(Strategy) {
  constructor(
    private readonly auth: AuthService,
    private readonly knownDevices: KnownDeviceService,
  ) {
    super({ usernameField: 'email', passwordField: 'password', passReqToCallback: true, session: false });
  }

  validate(request: Request, email: string, password: string): Promise<VerifiedUser> {
    // On a known device, failed attempts are limited separately. Which devices are known depends on the user, whom
    // `verify` has to find first.
    const findDeviceId = (user: VerifiedUser) => this.knownDevices.findDeviceId(request, user);
    return this.auth.verify(email, password, toRateLimitSubject(request.ip), findDeviceId);
  }
}
