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
import type { ChatHistoryEntity } from '../infrastructure/chat-history.entity';
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
    const [ends, streamIdsEndedForSafety] = await Promise.all([
      this.pastChats.findEnds(rows), // in the order of the rows
      this.findStreamsEndedForSafety(rows),
    ]);
    return rows.map(({ id, streamId, user1Id, user2Id, createdAt }, index) => ({
      id,
      user1Id,
      user2Id,
      createdAt: createdAt.toISOString(),
      reportableUntil: this.findReportableUntil(ends[index] ?? null),
      // The users of a chat that was ended for safety may not become friends.
      ...(streamIdsEndedForSafety.has(streamId) ? { mayBecomeFriends: false } : {}),
    }));
  }

  /**
   * Friend requests are only possible for a while after a chat. Chats that began before this period are not looked up,
   * because they permit no friend request anyway.
   */
  private findStreamsEndedForSafety(rows: readonly ChatHistoryEntity[]): Promise<ReadonlySet<string>> {
    const periodStart = Date.now() - limits.friendRequestWindowMs;
    const recent = rows.filter(({ createdAt }) => createdAt.getTime() >= periodStart);
    return this.history.findStreamsEndedForSafety(recent.map(({ streamId }) => streamId));
  }

  /** @param endedAt null while the end of the chat is not known, mostly because the chat is still in progress */
  private findReportableUntil(endedAt: Date | null): string | null {
    if (!endedAt) return null;
    const reportableMs = this.environment.REPORTABLE_AFTER_END_S * 1_000;
    return new Date(endedAt.getTime() + reportableMs).toISOString();
  }
}
