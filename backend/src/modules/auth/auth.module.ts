import { Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { RequestHandler } from 'express';
import passport from 'passport';
import type { Login } from '../../platform/http/login';
import { SOCKET_IDENTITIES } from '../../platform/realtime/socket-identity';
import { UserChannels } from '../../platform/realtime/user-channels';
import { UsersModule } from '../users/users.module';
import { AuthService } from './application/auth.service';
import { Logins } from './application/logins';
import { CookieIdentities } from './infrastructure/cookie-identities';
import { CredentialsEntity } from './infrastructure/credentials.entity';
import { CredentialsRepository } from './infrastructure/credentials.repository';
import { KnownDevices } from './infrastructure/known-devices';
import { PasswordHasher } from './infrastructure/password-hasher';
import { SessionCookie } from './infrastructure/session-cookie';
import {
  believePublicOrigin,
  createSessionMiddleware,
  refreshSession,
  SESSION_MIDDLEWARE,
} from './infrastructure/session.middleware';
import { SessionEntity } from './infrastructure/session.entity';
import { SessionRepository } from './infrastructure/session.repository';
import { SessionStore } from './infrastructure/session-store';
import { AccountController } from './transport/account.controller';
import { AuthController } from './transport/auth.controller';
import { PasswordStrategy } from './transport/password.strategy';

@Module({
  imports: [TypeOrmModule.forFeature([CredentialsEntity, SessionEntity]), PassportModule, UsersModule],
  controllers: [AuthController, AccountController],
  providers: [
    AuthService,
    Logins,
    CredentialsRepository,
    SessionRepository,
    SessionStore,
    SessionCookie,
    PasswordHasher,
    KnownDevices,
    PasswordStrategy,
    UserChannels,
    {
      provide: SESSION_MIDDLEWARE,
      inject: [SessionCookie, SessionStore],
      useFactory: createSessionMiddleware,
    },
    { provide: SOCKET_IDENTITIES, useClass: CookieIdentities },
  ],
  exports: [SOCKET_IDENTITIES],
})
export class AuthModule implements NestModule {
  constructor(
    @Inject(SESSION_MIDDLEWARE) private readonly session: RequestHandler,
    private readonly cookie: SessionCookie,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    // A session's row holds the login itself, so there is nothing to look up.
    passport.deserializeUser<Login>(({ userId, familyId }, done) => done(null, { userId, familyId }));
    consumer
      .apply(
        believePublicOrigin(this.cookie),
        this.session,
        refreshSession,
        passport.session() as RequestHandler,
      )
      .forRoutes('{*path}');
  }
}
