import { Body, Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { exportFileName } from '@thaw/contract/my-data-export';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { OpenToExcluded, SignedInGuard } from '../../../platform/http/signed-in.guard';
import { ExportService } from '../application/export.service';
import { ExportReadyDto, RequestExportDto } from './my-data-exports.dto';

/** A client that reads nothing of its download for this long is disconnected. */
const STALL_TIMEOUT_MS = 30_000;

@ApiTags('my data')
@ApiCookieAuth()
@Controller('my-data')
@UseGuards(SignedInGuard)
export class MyDataExportsController {
  constructor(private readonly exports: ExportService) {}

  @Post(':userId/export')
  // Suspended and banned users may export their data.
  @OpenToExcluded('userId')
  @ApiCreatedResponse({ type: ExportReadyDto, description: 'The URL of one download' })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'wrong_password',
    'suspended',
    'rate_limited',
    'unavailable',
  )
  async request(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
    @Body(new ValidBodyPipe(RequestExportDto)) body: RequestExportDto,
  ): Promise<ExportReadyDto> {
    requireSelf(login, userId);
    return this.exports.request(login, body);
  }

  @Get('exports/:token')
  // Without a parameter, because the path contains no user id. `open` checks that the token belongs to the login.
  @OpenToExcluded()
  @ApiOkResponse({
    description: 'JSON Lines: a header, events, records, and a trailer, without which the file is incomplete',
    content: { 'application/x-ndjson': {} },
  })
  @ApiProblems('not_signed_in', 'not_found', 'unavailable')
  async download(
    @CurrentLogin() login: Login,
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // Express passes HEAD to the route of GET. It would use up the token, which is valid for one download.
    if (request.method === 'HEAD') throw new DomainError('not_found');
    const openExport = await this.exports.open(login, token);
    response.set({
      'Content-Type': 'application/x-ndjson',
      'Content-Disposition': `attachment; filename="${exportFileName}"`,
      'Cache-Control': 'no-store',
      // Otherwise nginx reads the whole export ahead of a slow client and stores it.
      'X-Accel-Buffering': 'no',
    });
    response.setTimeout(STALL_TIMEOUT_MS, () => response.destroy());
    await openExport.writeTo(response);
  }
}
