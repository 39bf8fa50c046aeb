import { Body, Controller, Param, Put, Req, Res, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { UserResponseDto } from '../../users/transport/user.dto';
import { AuthService } from '../application/auth.service';
import { KnownDeviceService } from '../infrastructure/known-device.service';
import { ChangeEmailDto, ChangePasswordDto, SuccessDto } from './auth.dto';

/** Account changes that require the current password. */
@ApiTags('account')
@ApiCookieAuth()
@Controller('user/:id')
@UseGuards(SignedInGuard)
export class AccountController {
  constructor(
    private readonly auth: AuthService,
    private readonly knownDevices: KnownDeviceService,
  ) {}

  @Put('email')
  @ApiOkResponse({ type: UserResponseDto })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'wrong_password',
    'email_taken',
    'rate_limited',
  )
  async changeEmail(
    @Req() request: Request,
    @CurrentLogin() login: Login,
    @Param('id', PathIdPipe) id: number,
    @Body(new ValidBodyPipe(ChangeEmailDto)) { newEmail, currentPassword }: ChangeEmailDto,
  ): Promise<UserResponseDto> {
    requireSelf(login, id);
    return { user: await this.auth.changeEmail(request, login, newEmail, currentPassword) };
  }

  @Put('password')
  @ApiOkResponse({ type: SuccessDto, description: 'Every other login of the user has ended' })
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden', 'wrong_password', 'rate_limited')
  async changePassword(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentLogin() login: Login,
    @Param('id', PathIdPipe) id: number,
    @Body(new ValidBodyPipe(ChangePasswordDto)) { currentPassword, newPassword }: ChangePasswordDto,
  ): Promise<SuccessDto> {
    requireSelf(login, id);
    const verifiedUser = await this.auth.changePassword(request, login, currentPassword, newPassword);
    // A new password makes all known devices of the user unknown, including this one.
    this.knownDevices.remember(response, verifiedUser);
    return { success: true };
  }
}
