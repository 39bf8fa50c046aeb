import { Body, Controller, Get, Param, Patch, Put, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { RateLimitedBy, RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { OpenToExcluded, SignedInGuard } from '../../../platform/http/signed-in.guard';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { UsersService } from '../application/users.service';
import { PublicUserDto, SelfUserDto, SetGenderDto, UpdateProfileDto, UserResponseDto } from './user.dto';

@ApiTags('users')
@ApiCookieAuth()
@ApiExtraModels(SelfUserDto, PublicUserDto)
@Controller('user/:id')
@UseGuards(SignedInGuard, RateLimitGuard)
export class UserController {
  constructor(private readonly users: UsersService) {}

  @Get()
  // Suspended and banned users may read their own profile.
  @OpenToExcluded('id')
  @RateLimitedBy('profile_reads', 'user')
  @ApiOkResponse({
    description: "All fields of the user's own profile; the public fields of another user's",
    schema: { oneOf: [{ $ref: getSchemaPath(SelfUserDto) }, { $ref: getSchemaPath(PublicUserDto) }] },
  })
  @ApiProblems('not_signed_in', 'not_found', 'rate_limited')
  readProfile(
    @CurrentLogin() login: Login,
    @Param('id', PathIdPipe) id: number,
  ): Promise<SelfUserDto | PublicUserDto> {
    return this.users.getVisibleUser(login.userId, id);
  }

  @Put()
  @ApiOkResponse({ type: UserResponseDto })
  // Has no `RateLimitedBy`, because only changes of the name are limited, by `UsersService`.
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden', 'rate_limited')
  async changeProfile(
    @CurrentLogin() login: Login,
    @Param('id', PathIdPipe) id: number,
    @Body(new ValidBodyPipe(UpdateProfileDto)) { username, avatar }: UpdateProfileDto,
  ): Promise<UserResponseDto> {
    requireSelf(login, id);
    return { user: await this.users.changeProfile(id, username, avatar) };
  }

  @Patch()
  @ApiOkResponse({ type: UserResponseDto })
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden', 'gender_already_set')
  async chooseGender(
    @CurrentLogin() login: Login,
    @Param('id', PathIdPipe) id: number,
    @Body(new ValidBodyPipe(SetGenderDto)) { gender }: SetGenderDto,
  ): Promise<UserResponseDto> {
    requireSelf(login, id);
    return { user: await this.users.chooseGender(id, gender) };
  }
}
