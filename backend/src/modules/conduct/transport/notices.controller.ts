import { Body, Controller, Get, Param, Post, Put, Res, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { OpenToExcluded, SignedInGuard } from '../../../platform/http/signed-in.guard';
import { NoticeResponsesService } from '../application/notice-responses.service';
import { NoticesService } from '../application/notices.service';
import { AppealDto, FileAppealDto, NoticeDto, ReadNoticeDto } from './notices.dto';

/**
 * Notices and appeals. The routes are open to users who are excluded, that is suspended or banned. The id in the path
 * is the user's where the notices are listed, and the notice's where a notice is marked as seen.
 */
@ApiTags('notices')
@ApiCookieAuth()
@Controller()
@UseGuards(SignedInGuard)
export class NoticesController {
  constructor(
    private readonly notices: NoticesService,
    private readonly responses: NoticeResponsesService,
  ) {}

  @Get('notices/:userId')
  @OpenToExcluded()
  @ApiOkResponse({ type: [NoticeDto], description: 'Newest first, at most 100' })
  @ApiProblems('not_signed_in', 'forbidden')
  list(@CurrentLogin() login: Login, @Param('userId', PathIdPipe) userId: number): Promise<NoticeDto[]> {
    requireSelf(login, userId);
    return this.notices.list(userId);
  }

  /** Marks a notice as seen. `answer` is the user's answer, if the notice asks whether they are an adult. */
  @Put('notices/:noticeId')
  @OpenToExcluded()
  @ApiOkResponse({ type: NoticeDto })
  @ApiProblems('validation_failed', 'not_signed_in', 'not_found', 'already_answered')
  read(
    @CurrentLogin() { userId }: Login,
    @Param('noticeId', PathIdPipe) noticeId: number,
    @Body(new ValidBodyPipe(ReadNoticeDto)) { answer }: ReadNoticeDto,
  ): Promise<NoticeDto> {
    return this.responses.markNoticeSeen(userId, noticeId, answer);
  }

  @Post('appeals')
  @OpenToExcluded()
  @ApiCreatedResponse({ type: AppealDto })
  @ApiOkResponse({ type: AppealDto, description: 'The open appeal, when the user has appealed already' })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_found',
    'already_answered',
    'too_late',
    'rate_limited',
  )
  async appeal(
    @CurrentLogin() login: Login,
    @Body(new ValidBodyPipe(FileAppealDto)) { userId, noticeId, words }: FileAppealDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AppealDto> {
    requireSelf(login, userId);
    const { appeal, isNew } = await this.responses.fileAppeal(userId, noticeId, words);
    if (!isNew) response.status(200);
    return appeal;
  }
}
