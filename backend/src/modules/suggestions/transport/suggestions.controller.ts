import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { requestSuggestionsSchema } from '@thaw/contract/suggestions';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login, requireSelf } from '../../../platform/http/login.decorator';
import { RateLimitedBy, RateLimitGuard } from '../../../platform/http/rate-limit.guard';
import { SignedInGuard } from '../../../platform/http/signed-in.guard';
import { SuggestionsService } from '../application/suggestions.service';
import { RequestSuggestionsDto, SuggestionsDto, SuggestionSourceDto } from './suggestions.dto';

@ApiTags('suggestions')
@ApiCookieAuth()
@Controller('suggestions')
@UseGuards(SignedInGuard, RateLimitGuard)
export class SuggestionsController {
  constructor(private readonly suggestions: SuggestionsService) {}

  /** Returns whether a language model is set up to suggest messages and, if so, on which host it runs. */
  @Get()
  @ApiOkResponse({ type: SuggestionSourceDto })
  @ApiProblems('not_signed_in', 'suspended')
  getSource(): SuggestionSourceDto {
    return this.suggestions.source;
  }

  @Post()
  @HttpCode(200)
  @RateLimitedBy('suggestions', 'user')
  @ApiOkResponse({
    type: SuggestionsDto,
    description: 'The list is empty when the model gives no usable suggestion in time',
  })
  @ApiProblems(
    'validation_failed',
    'not_signed_in',
    'forbidden',
    'not_friends',
    'suspended',
    'not_found',
    'rate_limited',
    'unavailable',
  )
  async suggest(
    @CurrentLogin() login: Login,
    @Body(new ValidBodyPipe(RequestSuggestionsDto)) body: RequestSuggestionsDto,
  ): Promise<SuggestionsDto> {
    // The pipe has checked each field on its own. Only the schema requires exactly one of `sessionId` and `friendId`.
    if (!requestSuggestionsSchema.safeParse(body).success) throw new DomainError('validation_failed');
    requireSelf(login, body.userId);
    return this.suggestions.suggest(body);
  }
}
