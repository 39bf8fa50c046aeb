import { Inject, Logger, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Request, RequestHandler } from 'express';
import passport from 'passport';
import { logWarning } from '../../platform/observability/warn-about.functions';
import { SOCKET_IDENTITY_PORT } from '../../platform/realtime/socket-identity.port';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { DeviceAccountsService } from '../standings/application/device-accounts.service';
import { StandingsModule } from '../standings/standings.module';
import { UsersModule } from '../users/users.module';
import { AuthService } from './application/auth.service';
import { LoginSessionService } from './application/login-session.service';
import { CookieIdentityAdapter } from './infrastructure/cookie-identity.adapter';
import { CredentialsEntity } from './infrastructure/credentials.entity';
import { CredentialsRepository } from './infrastructure/credentials.repository';
import { DeviceCookieService } from './infrastructure/device-cookie.service';
import { KnownDeviceService } from './infrastructure/known-device.service';
import { PasswordHasherService } from './infrastructure/password-hasher.service';
import { SessionCookieCodec } from './infrastructure/session-cookie.codec';
import {
  markRequestsSecureForHttpsOrigin,
  createSessionMiddleware,
  createRefreshMiddleware,
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
    StandingsModule,
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
    DeviceCookieService,
    PasswordStrategy,
    {
      provide: SESSION_MIDDLEWARE,
      inject: [SessionCookieCodec, SessionStoreAdapter],
      useFactory: createSessionMiddleware,
    },
    { provide: SOCKET_IDENTITY_PORT, useClass: CookieIdentityAdapter },
  ],
  exports: [AuthService, LoginSessionService, SOCKET_IDENTITY_PORT],
})
export class AuthModule implements NestModule {
  private readonly logger = new Logger(AuthModule.name);

  constructor(
    @Inject(SESSION_MIDDLEWARE) private readonly sessionMiddleware: RequestHandler,
    private readonly sessionCookie: SessionCookieCodec,
    private readonly deviceCookie: DeviceCookieService,
    private readonly deviceAccounts: DeviceAccountsService,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    // `SessionStoreAdapter` has read the login and the user's `Access` with the session, so nothing is loaded here.
    passport.deserializeUser<Express.User>((user, done) => done(null, user));
    consumer
      .apply(
        markRequestsSecureForHttpsOrigin(this.sessionCookie),
        this.sessionMiddleware,
        createRefreshMiddleware((userId, request) => void this.recordDevice(userId, request)),
        passport.session() as RequestHandler,
      )
      .forRoutes('{*path}');
  }

  /** Records that the device is still in use, each time its session is extended. Never rejects. */
  private async recordDevice(userId: number, request: Request): Promise<void> {
    const deviceHash = this.deviceCookie.findDeviceHash(request);
    if (deviceHash === null) return;
    try {
      await this.deviceAccounts.recordUse(deviceHash, userId);
    } catch (error) {
      logWarning(this.logger, 'The use of a device was not recorded', error);
    }
  }
}
