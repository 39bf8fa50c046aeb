import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  type RequestSuggestions,
  requestSuggestionsSchema,
  suggestionLimits,
  type Suggestions,
  type SuggestionSource,
  suggestionsSchema,
} from '@thaw/contract/suggestions';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

const { shape } = requestSuggestionsSchema;

/** Response of GET /api/suggestions. */
export class SuggestionSourceDto implements SuggestionSource {
  @ApiProperty({ description: 'Whether a language model is set up' })
  model: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Host of the language model; null without one' })
  host: string | null;
}
assertType<SameShape<SuggestionSourceDto, SuggestionSource>>();

/** Body of POST /api/suggestions. Exactly one of `sessionId` and `friendId` is required (checked by the controller). */
export class RequestSuggestionsDto implements RequestSuggestions {
  /** Id of the signed-in user; another id is refused. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(shape.userId)
  userId: number;

  @ApiPropertyOptional({ description: 'The session id of a random chat' })
  @MatchesSchema(shape.sessionId)
  sessionId?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'The friend in a private chat; replaces `sessionId`',
  })
  @MatchesSchema(shape.friendId)
  friendId?: number;

  @ApiProperty({ enum: [true], description: "Consent to sending the user's own messages to the model" })
  @MatchesSchema(shape.consent)
  consent: true;
}
assertType<SameShape<RequestSuggestionsDto, RequestSuggestions>>();

/** Response of POST /api/suggestions. */
export class SuggestionsDto implements Suggestions {
  /** `model`, or `none` if the model returned nothing that can be shown. */
  @ApiProperty({ enum: suggestionsSchema.shape.source.options })
  source: Suggestions['source'];

  @ApiProperty({ type: [String], maxItems: suggestionLimits.count })
  suggestions: string[];
}
assertType<SameShape<SuggestionsDto, Suggestions>>();
