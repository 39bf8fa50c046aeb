import { Body, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { PeopleService } from '../application/people.service';
import { ModerationController } from './moderation-route.decorator';
import { HoldDto, LiftSanctionDto, ModeratedPersonDto } from './person.dto';

/**
 * Routes about users: reading one, legal holds, and lifting sanctions. A moderator who acts on their own account is
 * refused with `own_decision`, and the lifting of a sanction that is no longer in force with `already_answered`.
 */
@ModerationController('moderation')
export class PeopleController {
  constructor(private readonly people: PeopleService) {}

  @Get('people/:userId')
  @ApiOkResponse({ type: ModeratedPersonDto })
  @ApiProblems('not_signed_in', 'forbidden', 'not_found')
  read(
    @CurrentLogin() { userId: moderatorId }: Login,
    @Param('userId', PathIdPipe) userId: number,
  ): Promise<ModeratedPersonDto> {
    return this.people.read(moderatorId, userId);
  }

  @Put('people/:userId/hold')
  @ApiOkResponse({ type: ModeratedPersonDto })
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden', 'not_found', 'own_decision')
  hold(
    @CurrentLogin() { userId: moderatorId }: Login,
    @Param('userId', PathIdPipe) userId: number,
    @Body(new ValidBodyPipe(HoldDto)) hold: HoldDto,
  ): Promise<ModeratedPersonDto> {
    return this.people.setHold(moderatorId, userId, hold);
  }

  @Post('sanctions/:sanctionId/lift')
  @HttpCode(200)
  @ApiOkResponse({ type: ModeratedPersonDto })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_found',
    'own_decision',
    'already_answered',
  )
  lift(
    @CurrentLogin() { userId: moderatorId }: Login,
    @Param('sanctionId', PathIdPipe) sanctionId: number,
    @Body(new ValidBodyPipe(LiftSanctionDto)) lift: LiftSanctionDto,
  ): Promise<ModeratedPersonDto> {
    return this.people.liftSanction(moderatorId, sanctionId, lift);
  }
}
