import { Controller, Get, Inject, Param, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { PastChatService } from '../application/past-chat.service';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';
import { ChatHistoryEntryDto } from './chat-history.dto';

@ApiTags('chat history')
@ApiCookieAuth()
@Controller('chat-history/:userId')
@UseGuards(SignedInGuard, RateLimitGuard)
export class ChatHistoryController {
  constructor(
    private readonly history: ChatHistoryRepository,
    private readonly pastChats: PastChatService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  @ApiOkResponse({ type: [ChatHistoryEntryDto], description: 'Newest first, at most 100' })
  @ApiProblems('not_signed_in', 'forbidden')
  async latest(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<ChatHistoryEntryDto[]> {
    requireSelf(login, userId);
    const rows = await this.history.findLatest(userId);
    // The users of a chat that was ended for safety may not become friends. Chats before this window permit no friend
    // request anyway, so they are not looked up.
    const windowStart = Date.now() - limits.friendRequestWindowMs;
    const recent = rows.filter(({ createdAt }) => createdAt.getTime() >= windowStart);
    const [ends, streamIdsEndedForSafety] = await Promise.all([
      this.pastChats.findEnds(rows), // in the order of the rows
      this.history.findStreamsEndedForSafety(recent.map(({ streamId }) => streamId)),
    ]);
    const reportableMs = this.environment.REPORTABLE_AFTER_END_S * 1_000;
    return rows.map(({ id, streamId, user1Id, user2Id, createdAt }, index) => {
      const endedAt = ends[index];
      return {
        id,
        user1Id,
        user2Id,
        createdAt: createdAt.toISOString(),
        reportableUntil: endedAt ? new Date(endedAt.getTime() + reportableMs).toISOString() : null,
        ...(streamIdsEndedForSafety.has(streamId) ? { mayBecomeFriends: false } : {}),
      };
    });
  }
}
