import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res, UseGuards } from '@nestjs/common';
import {
  ApiCookieAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { RateLimitedBy, RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { BlocksService } from '../application/blocks.service';
import { BlockDto, BlockedUserDto, BlockUserDto } from './blocks.dto';

@ApiTags('blocks')
@ApiCookieAuth()
@Controller('blocks')
@UseGuards(SignedInGuard, RateLimitGuard)
export class BlocksController {
  constructor(private readonly blocks: BlocksService) {}

  @Post()
  @RateLimitedBy('blocks', 'user')
  @ApiCreatedResponse({ type: BlockDto })
  @ApiOkResponse({ type: BlockDto, description: 'The user was blocked already' })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_found',
    'limit_reached',
    'rate_limited',
  )
  async block(
    @CurrentLogin() login: Login,
    @Body(new ValidBodyPipe(BlockUserDto)) { blockerId, blockedId }: BlockUserDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BlockDto> {
    requireSelf(login, blockerId);
    const { block, isNew } = await this.blocks.block(blockerId, blockedId);
    if (!isNew) response.status(200);
    return block;
  }

  @Get(':userId')
  @ApiOkResponse({ type: [BlockedUserDto], description: 'Newest first' })
  @ApiProblems('not_signed_in', 'forbidden')
  list(@CurrentLogin() login: Login, @Param('userId', PathIdPipe) userId: number): Promise<BlockedUserDto[]> {
    requireSelf(login, userId);
    return this.blocks.list(userId);
  }

  @Delete(':userId/:blockedId')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_signed_in', 'forbidden', 'not_found')
  async unblock(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
    @Param('blockedId', PathIdPipe) blockedId: number,
  ): Promise<void> {
    requireSelf(login, userId);
    await this.blocks.unblock(userId, blockedId);
  }
}
