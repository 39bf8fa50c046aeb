import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';
import { ChatHistoryEntryDto } from './chat-history.dto';

@ApiTags('chat history')
@ApiCookieAuth()
@Controller('chat-history/:userId')
@UseGuards(SignedInGuard, RateLimitGuard)
export class ChatHistoryController {
  constructor(private readonly history: ChatHistoryRepository) {}

  @Get()
  @ApiOkResponse({ type: [ChatHistoryEntryDto], description: 'Newest first, at most 100' })
  @ApiProblems('not_signed_in', 'forbidden')
  async latest(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<ChatHistoryEntryDto[]> {
    requireSelf(login, userId);
    const rows = await this.history.latest(userId);
    return rows.map(({ id, user1Id, user2Id, createdAt, endedAt }) => ({
      id,
      user1Id,
      user2Id,
      createdAt: createdAt.toISOString(),
      reportableUntil: endedAt && new Date(endedAt.getTime() + limits.reportableAfterEndMs).toISOString(),
    }));
  }
}
