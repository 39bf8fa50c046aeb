import { Body, Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiCookieAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { RateLimitedBy, RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { ExclusionGuard, OpenToExcluded, SignedInGuard } from '../../../platform/http/signed-in.guard';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { UsersService } from '../../users/application/users.service';
import { UserResponseDto } from '../../users/transport/user.dto';
import { AuthService } from '../application/auth.service';
import { LoginSessionService } from '../application/login-session.service';
import type { VerifiedUser } from '../application/verified-user.types';
import { DeviceCookieService } from '../infrastructure/device-cookie.service';
import { KnownDeviceService } from '../infrastructure/known-device.service';
import { SessionCookieCodec } from '../infrastructure/session-cookie.codec';
import { ConvertAnonymousDto, CredentialsDto } from './auth.dto';
import { PasswordGuard, UserVerifiedByPassword } from './password.guard';

/** Starts and ends logins, and creates accounts. */
@ApiTags('auth')
@Controller()
@UseGuards(RateLimitGuard)
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersService,
    private readonly loginSessions: LoginSessionService,
    private readonly knownDevices: KnownDeviceService,
    private readonly cookie: SessionCookieCodec,
    private readonly deviceCookie: DeviceCookieService,
    private readonly deviceAccounts: DeviceAccountsService,
  ) {}

  @Post('login')
  @HttpCode(200)
  // The guard limits failed attempts, so the route needs no `RateLimitedBy`.
  @UseGuards(PasswordGuard)
  @ApiBody({ type: CredentialsDto })
  @ApiOkResponse({ type: UserResponseDto })
  @ApiProblems('validation_failed', 'invalid_credentials', 'rate_limited', 'unavailable')
  async login(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @UserVerifiedByPassword() verifiedUser: VerifiedUser,
  ): Promise<UserResponseDto> {
    await this.loginSessions.begin(request, verifiedUser);
    // This cookie records that this user has signed in here; it only affects the limits on password guessing.
    this.knownDevices.remember(response, verifiedUser);
    // This cookie identifies the browser, for all its users.
    const device = this.deviceCookie.ensureDevice(request, response);
    await this.deviceAccounts.recordUse(device.hash, verifiedUser.userId);
    return { user: await this.users.getSelf(verifiedUser.userId) };
  }

  @Post('register')
  @UseGuards(ExclusionGuard)
  @RateLimitedBy('register', 'address')
  @ApiCreatedResponse({ type: UserResponseDto })
  @ApiProblems('validation_failed', 'suspended', 'email_taken', 'rate_limited', 'unavailable')
  async register(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body(new ValidBodyPipe(CredentialsDto)) { email, password }: CredentialsDto,
  ): Promise<UserResponseDto> {
    const device = this.deviceCookie.ensureDevice(request, response);
    const verifiedUser = await this.auth.register(email, password, device);
    await this.loginSessions.begin(request, verifiedUser);
    this.knownDevices.remember(response, verifiedUser);
    return { user: await this.users.getSelf(verifiedUser.userId) };
  }

  // Open to suspended and banned users, too, because none escapes the sanction: an anonymous user stays the same user,
  // and a new user in the same browser inherits it.
  @Post('anonymous')
  @RateLimitedBy('anonymous', 'address')
  @ApiCreatedResponse({ type: UserResponseDto })
  @ApiOkResponse({ type: UserResponseDto, description: 'The anonymous user who is already signed in' })
  @ApiProblems('rate_limited', 'unavailable')
  async startAnonymousUser(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserResponseDto> {
    const currentUser = request.user && (await this.users.findSelf(request.user.userId));
    if (currentUser?.isAnonymous) {
      response.status(200);
      return { user: currentUser };
    }
    const userId = await this.auth.startAnonymousUser(this.deviceCookie.ensureDevice(request, response));
    await this.loginSessions.begin(request, { userId });
    return { user: await this.users.getSelf(userId) };
  }

  @Post('logout')
  @HttpCode(204)
  @ApiNoContentResponse()
  async logout(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.loginSessions.end(request);
    response.clearCookie(this.cookie.sessionCookieName, this.cookie.options);
  }

  @Post('convert-anonymous')
  @HttpCode(200)
  @UseGuards(SignedInGuard)
  // Suspended and banned users may convert their account, too.
  @OpenToExcluded()
  @RateLimitedBy('convert_anonymous', 'address')
  @ApiCookieAuth()
  @ApiOkResponse({ type: UserResponseDto })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_anonymous',
    'email_taken',
    'rate_limited',
    'unavailable',
  )
  async convertAnonymousUser(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentLogin() login: Login,
    @Body(new ValidBodyPipe(ConvertAnonymousDto)) { userId, email, password }: ConvertAnonymousDto,
  ): Promise<UserResponseDto> {
    requireSelf(login, userId);
    const verifiedUser = await this.auth.convertAnonymousUser(userId, email, password);
    await this.loginSessions.rotateSessionId(request, login);
    this.knownDevices.remember(response, verifiedUser);
    return { user: await this.users.getSelf(userId) };
  }
}
