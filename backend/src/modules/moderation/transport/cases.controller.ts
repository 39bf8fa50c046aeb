import { pipeline } from 'node:stream/promises';
import { Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import { type CaseFilter, caseFilterSchema } from '@thaw/contract/moderation';
import type { Response } from 'express';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { CurrentLogin, type Login } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { CaseImagesService } from '../application/case-images.service';
import { CasesService } from '../application/cases.service';
import { CasePageDto, ModerationCaseDto } from './case.dto';
import { ContractValuePipe } from './contract-value.pipe';
import { ModerationController } from './moderation-route.decorator';
import { OptionalPageSizePipe, OptionalTextPipe } from './query.pipe';

/** The routes that read cases and the images in their evidence. */
@ModerationController('moderation/cases')
export class CasesController {
  constructor(
    private readonly cases: CasesService,
    private readonly images: CaseImagesService,
  ) {}

  @Get()
  @ApiQuery({
    name: 'state',
    required: false,
    enum: caseFilterSchema.options,
    description: 'open by default',
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    type: 'integer',
    description: `At most ${limits.casesPerPage}`,
  })
  @ApiQuery({ name: 'cursor', required: false, type: String, description: 'nextCursor of the previous page' })
  @ApiOkResponse({ type: CasePageDto, description: 'Most urgent first; decided cases newest first' })
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden')
  list(
    @CurrentLogin() { userId }: Login,
    @Query('state', new ContractValuePipe<CaseFilter>(caseFilterSchema, 'open')) state: CaseFilter,
    @Query('limit', new OptionalPageSizePipe(limits.casesPerPage)) limit: number,
    @Query('cursor', OptionalTextPipe) cursor: string | undefined,
  ): Promise<CasePageDto> {
    return this.cases.list(userId, state, limit, cursor);
  }

  @Get(':caseId')
  @ApiOkResponse({ type: ModerationCaseDto })
  @ApiProblems('not_signed_in', 'forbidden', 'not_found', 'rate_limited')
  read(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
  ): Promise<ModerationCaseDto> {
    return this.cases.read(userId, caseId);
  }

  @Get(':caseId/images/:imageId')
  @ApiOkResponse({ description: 'The image', content: { 'image/jpeg': {}, 'image/webp': {} } })
  @ApiProblems('not_signed_in', 'forbidden', 'not_found', 'rate_limited', 'unavailable')
  async readImage(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
    @Param('imageId', PathIdPipe) imageId: number,
    @Res() response: Response,
  ): Promise<void> {
    const { contentType, size, content } = await this.images.open(userId, caseId, imageId);
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Content-Type': contentType,
      'Content-Length': String(size),
      'X-Content-Type-Options': 'nosniff',
    });
    // No error response can follow the headers. So if the storage fails or the client disconnects, the response ends.
    await pipeline(content, response).catch(() => response.destroy());
  }
}
