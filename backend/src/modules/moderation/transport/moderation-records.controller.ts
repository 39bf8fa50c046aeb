import { Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { CurrentLogin, type Login } from '../../../platform/http/login.decorator';
import { OptionalPositiveIntegerPipe } from '../../../platform/http/optional-positive-integer.pipe';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { ImageBlocksService } from '../../image-blocks/application/image-blocks.service';
import { AuditService } from '../application/audit.service';
import { ModerationFiguresService } from '../application/moderation-figures.service';
import { ModerationController } from './moderation-route.decorator';
import { AuditPageDto, BlockedImageDto, ModerationFiguresDto } from './moderation-records.dto';

/** What moderators read besides cases and users: the image block-list, the audit log and figures. */
@ModerationController('moderation')
export class ModerationRecordsController {
  constructor(
    private readonly imageBlocks: ImageBlocksService,
    private readonly figures: ModerationFiguresService,
    private readonly audit: AuditService,
  ) {}

  @Get('images')
  @ApiOkResponse({ type: [BlockedImageDto], description: 'The image block-list, newest first' })
  @ApiProblems('not_signed_in', 'forbidden')
  listImages(): Promise<BlockedImageDto[]> {
    return this.imageBlocks.list();
  }

  @Delete('images/:imageId')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_signed_in', 'forbidden', 'not_found', 'unavailable')
  async unblockImage(
    @CurrentLogin() { userId: moderatorId }: Login,
    @Param('imageId', PathIdPipe) imageId: number,
  ): Promise<void> {
    // The audit record is written in the transaction of `unblock`, so that no image is unblocked without one.
    await this.imageBlocks.unblock(imageId, moderatorId, (manager) =>
      this.audit.record({ moderatorId, action: 'image_unblocked', imageId }, manager),
    );
  }

  @Get('metrics')
  @ApiOkResponse({ type: ModerationFiguresDto, description: 'At most a minute old' })
  @ApiProblems('not_signed_in', 'forbidden')
  readFigures(): Promise<ModerationFiguresDto> {
    return this.figures.read();
  }

  @Get('audit')
  @ApiQuery({ name: 'moderatorId', required: false, type: 'integer' })
  @ApiQuery({
    name: 'cursor',
    required: false,
    type: 'integer',
    description: 'nextCursor of the previous page',
  })
  @ApiOkResponse({ type: AuditPageDto })
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden')
  listAudit(
    @Query('moderatorId', OptionalPositiveIntegerPipe) moderatorId: number | undefined,
    @Query('cursor', OptionalPositiveIntegerPipe) cursor: number | undefined,
  ): Promise<AuditPageDto> {
    return this.audit.list(moderatorId, cursor);
  }
}
