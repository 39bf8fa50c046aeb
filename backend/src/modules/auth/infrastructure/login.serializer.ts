import { Injectable } from '@nestjs/common';
import { PassportSerializer } from '@nestjs/passport';
import type { Login } from '../../../platform/http/login';

/** A session's row holds the login itself, so there is nothing to look up. */
@Injectable()
export class LoginSerializer extends PassportSerializer {
  override serializeUser(login: Login, done: (error: unknown, serialized?: Login) => void): void {
    done(null, login);
  }

  override deserializeUser(
    { userId, familyId }: Login,
    done: (error: unknown, login?: Login | false) => void,
  ): void {
    done(null, { userId, familyId });
  }
}
