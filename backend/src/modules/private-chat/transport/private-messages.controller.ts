import { Controller, Get, HttpCode, Param, Put, Query, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiNoContentResponse, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { OptionalPositiveIntegerPipe } from '../../../platform/http/optional-positive-integer.pipe';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { PrivateChatService } from '../application/private-chat.service';
import { ReadReceiptService } from '../application/read-receipt.service';
import { PrivateMessageDto } from './private-messages.dto';

@ApiTags('private messages')
@ApiCookieAuth()
@Controller('private-messages')
@UseGuards(SignedInGuard, RateLimitGuard)
export class PrivateMessagesController {
  constructor(
    private readonly chat: PrivateChatService,
    private readonly receipts: ReadReceiptService,
  ) {}

  // Declared before the conversation route, which would match this path as well.
  @Get('unread-counts/:userId')
  @ApiOkResponse({
    schema: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    description: 'The number of unread messages, at most 100, by the id of the friend who sent them',
  })
  @ApiProblems('not_signed_in', 'forbidden')
  countUnread(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<Record<string, number>> {
    requireSelf(login, userId);
    return this.chat.countUnread(userId);
  }

  @Get(':userId/:friendId')
  @ApiQuery({
    name: 'before',
    required: false,
    description: 'Only messages with a lower id',
    type: 'integer',
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    type: 'integer',
    description: `At most ${limits.privateMessagesPageSize}`,
  })
  @ApiOkResponse({
    type: [PrivateMessageDto],
    description: 'The newest messages (before `before`, if given), in ascending order',
  })
  // `validation_failed`: `before` or `limit` is not a positive integer.
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden', 'not_friends')
  listMessages(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
    @Param('friendId', PathIdPipe) friendId: number,
    @Query('before', OptionalPositiveIntegerPipe) before: number | undefined,
    @Query('limit', OptionalPositiveIntegerPipe) limit: number | undefined,
  ): Promise<PrivateMessageDto[]> {
    requireSelf(login, userId);
    return this.chat.loadConversation(userId, friendId, { before, limit });
  }

  // Marks the messages from the friend to the user, so the friend comes first (docs/product-decisions.md, A132).
  @Put('read/:friendId/:userId')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'All messages of the friend are marked as read' })
  @ApiProblems('not_signed_in', 'forbidden', 'not_friends')
  async markRead(
    @CurrentLogin() login: Login,
    @Param('friendId', PathIdPipe) friendId: number,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<void> {
    requireSelf(login, userId);
    await this.receipts.markRead(userId, friendId);
  }
}
