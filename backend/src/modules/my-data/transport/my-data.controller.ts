import { Body, Controller, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCookieAuth, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { OpenToExcluded, SignedInGuard } from '../../../platform/http/signed-in.guard';
import { LoginSessionService } from '../../auth/application/login-session.service';
import { AccountDeletionService } from '../application/account-deletion.service';
import { ErasureAcceptedDto, RequestErasureDto } from './my-data.dto';

@ApiTags('my data')
@ApiCookieAuth()
@Controller('user/:id')
@UseGuards(SignedInGuard)
export class MyDataController {
  constructor(
    private readonly deletion: AccountDeletionService,
    private readonly loginSessions: LoginSessionService,
  ) {}

  @Post('erasure')
  @HttpCode(202)
  // Suspended and banned users may delete the account in the path if it is their own. For another they get `suspended`.
  @OpenToExcluded('id')
  @ApiAcceptedResponse({
    type: ErasureAcceptedDto,
    description: 'The account is gone; its data is being erased',
  })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'wrong_password',
    'suspended',
    'rate_limited',
    'unavailable',
  )
  async requestErasure(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentLogin() login: Login,
    @Param('id', PathIdPipe) id: number,
    @Body(new ValidBodyPipe(RequestErasureDto)) body: RequestErasureDto,
  ): Promise<ErasureAcceptedDto> {
    requireSelf(login, id);
    const receiptId = await this.deletion.delete(id, body);
    await this.loginSessions.forget(request, response);
    return { receiptId };
  }
}
