import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Res, UseGuards } from '@nestjs/common';
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
import { RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { FriendsService } from '../application/friends.service';
import { AnswerFriendRequestDto, FriendDto, FriendRequestDto, SendFriendRequestDto } from './friends.dto';

@ApiTags('friends')
@ApiCookieAuth()
@Controller('friends')
@UseGuards(SignedInGuard, RateLimitGuard)
export class FriendsController {
  constructor(private readonly friends: FriendsService) {}

  @Post('request')
  @ApiCreatedResponse({ type: FriendRequestDto })
  @ApiOkResponse({
    type: FriendRequestDto,
    description: 'The request was pending already, or a request of the addressee was accepted',
  })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_found',
    'already_friends',
    'rate_limited',
  )
  async sendRequest(
    @CurrentLogin() login: Login,
    @Body(new ValidBodyPipe(SendFriendRequestDto)) { requesterId, addresseeId }: SendFriendRequestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FriendRequestDto> {
    requireSelf(login, requesterId);
    const { request, isNew } = await this.friends.sendRequest(requesterId, addresseeId);
    if (!isNew) response.status(200);
    return request;
  }

  @Put('request/:requestId')
  @ApiOkResponse({ type: FriendRequestDto })
  @ApiProblems('validation_failed', 'not_signed_in', 'not_found', 'already_answered')
  answerRequest(
    @CurrentLogin() login: Login,
    @Param('requestId', PathIdPipe) requestId: number,
    @Body(new ValidBodyPipe(AnswerFriendRequestDto)) { status }: AnswerFriendRequestDto,
  ): Promise<FriendRequestDto> {
    // Throws not_found for a request to another user.
    return this.friends.answerRequest(login.userId, requestId, status);
  }

  @Get('requests/:userId')
  @ApiOkResponse({
    type: [FriendRequestDto],
    description: 'The requests that wait for the user’s answer, oldest first',
  })
  @ApiProblems('not_signed_in', 'forbidden')
  listPendingRequests(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<FriendRequestDto[]> {
    requireSelf(login, userId);
    return this.friends.listPendingRequests(userId);
  }

  @Get(':userId')
  @ApiOkResponse({ type: [FriendDto] })
  @ApiProblems('not_signed_in', 'forbidden')
  listFriends(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<FriendDto[]> {
    requireSelf(login, userId);
    return this.friends.listFriends(userId);
  }

  @Delete(':userId/:friendId')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_signed_in', 'forbidden', 'not_found')
  async removeFriend(
    @CurrentLogin() login: Login,
    @Param('userId', PathIdPipe) userId: number,
    @Param('friendId', PathIdPipe) friendId: number,
  ): Promise<void> {
    requireSelf(login, userId);
    await this.friends.removeFriend(userId, friendId);
  }
}
