import { Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { RequestHandler } from 'express';
import passport from 'passport';
import { SOCKET_IDENTITY_PORT } from '../../platform/realtime/socket-identity.port';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { UsersModule } from '../users/users.module';
import { AuthService } from './application/auth.service';
import { LoginSessionService } from './application/login-session.service';
import { CookieIdentityAdapter } from './infrastructure/cookie-identity.adapter';
import { CredentialsEntity } from './infrastructure/credentials.entity';
import { CredentialsRepository } from './infrastructure/credentials.repository';
import { KnownDeviceService } from './infrastructure/known-device.service';
import { PasswordHasherService } from './infrastructure/password-hasher.service';
import { SessionCookieCodec } from './infrastructure/session-cookie.codec';
import {
  markSecureByPublicOrigin,
  createSessionMiddleware,
  refreshSession,
  SESSION_MIDDLEWARE,
} from './infrastructure/session.middleware';
import { SessionEntity } from './infrastructure/session.entity';
import { SessionRepository } from './infrastructure/session.repository';
import { SessionStoreAdapter } from './infrastructure/session-store.adapter';
import { AccountController } from './transport/account.controller';
import { AuthController } from './transport/auth.controller';
import { PasswordStrategy } from './transport/password.strategy';

@Module({
  imports: [
    TypeOrmModule.forFeature([CredentialsEntity, SessionEntity]),
    PassportModule,
    UserPublisherModule,
    UsersModule,
  ],
  controllers: [AuthController, AccountController],
  providers: [
    AuthService,
    LoginSessionService,
    CredentialsRepository,
    SessionRepository,
    SessionStoreAdapter,
    SessionCookieCodec,
    PasswordHasherService,
    KnownDeviceService,
    PasswordStrategy,
    {
      provide: SESSION_MIDDLEWARE,
      inject: [SessionCookieCodec, SessionStoreAdapter],
      useFactory: createSessionMiddleware,
    },
    { provide: SOCKET_IDENTITY_PORT, useClass: CookieIdentityAdapter },
  ],
  exports: [SOCKET_IDENTITY_PORT],
})
export class AuthModule implements NestModule {
  constructor(
    @Inject(SESSION_MIDDLEWARE) private readonly sessionMiddleware: RequestHandler,
    private readonly cookie: SessionCookieCodec,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    // The session contains the whole login with its access, so no user has to be loaded.
    passport.deserializeUser<Express.User>((user, done) => done(null, user));
    consumer
      .apply(
        markSecureByPublicOrigin(this.cookie),
        this.sessionMiddleware,
        refreshSession,
        passport.session() as RequestHandler,
      )
      .forRoutes('{*path}');
  }
}
