import { Body, Controller, Get, Param, Post, Res, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { fileReportSchema } from '@thaw/contract/safety';
import type { Response } from 'express';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { ReportsService } from '../application/reports.service';
import { FileReportDto, ReportDto } from './reports.dto';

@ApiTags('reports')
@ApiCookieAuth()
@Controller('reports')
@UseGuards(SignedInGuard)
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Post()
  @ApiCreatedResponse({ type: ReportDto })
  @ApiOkResponse({ type: ReportDto, description: 'The same report was filed already' })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_found',
    'too_late',
    'rate_limited',
    'unavailable',
  )
  async file(
    @CurrentLogin() login: Login,
    @Body(new ValidBodyPipe(FileReportDto)) body: FileReportDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReportDto> {
    // The DTO checks single fields; the schema also refuses a body with both `sessionId` and `historyId`.
    if (!fileReportSchema.safeParse(body).success) throw new DomainError('validation_failed');
    requireSelf(login, body.reporterId);
    const { report, isNew } = await this.reports.file(body);
    if (!isNew) response.status(200);
    return report;
  }

  @Get(':userId')
  @ApiOkResponse({ type: [ReportDto], description: 'Newest first, at most 100' })
  @ApiProblems('not_signed_in', 'forbidden')
  list(@CurrentLogin() login: Login, @Param('userId', PathIdPipe) userId: number): Promise<ReportDto[]> {
    requireSelf(login, userId);
    return this.reports.list(userId);
  }
}
