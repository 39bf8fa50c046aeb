import * as z from 'zod/mini';
import { idSchema, sessionIdSchema } from './scalars.js';

/** Limits of one response. They are not in limits.ts, because every page loads that file. */
export const suggestionLimits = { count: 3, maxCodePoints: 120 } as const;

/**
 * Response body of GET /api/suggestions. `model`: whether the operator has configured a language model that suggests
 * messages.
 */
export const suggestionSourceSchema = z.object({
  model: z.boolean(),
  /** Host to which the user's words are sent; null without a model. */
  host: z.nullable(z.string()),
});
export type SuggestionSource = z.infer<typeof suggestionSourceSchema>;

/**
 * Body of POST /api/suggestions. Exactly one of `sessionId` (a random chat) and `friendId` (a private chat) identifies
 * the chat. `consent`: the user agrees that their own messages are sent to the host of the model.
 */
export const requestSuggestionsSchema = z
  .object({
    userId: idSchema,
    sessionId: z.optional(sessionIdSchema),
    friendId: z.optional(idSchema),
    consent: z.literal(true),
  })
  .check(z.refine(({ sessionId, friendId }) => (sessionId === undefined) !== (friendId === undefined)));
export type RequestSuggestions = z.infer<typeof requestSuggestionsSchema>;

/**
 * Response body of POST /api/suggestions. The source of an empty list is `none`: the model returned nothing that can be
 * shown.
 */
export const suggestionsSchema = z.object({
  source: z.enum(['model', 'none']),
  suggestions: z.array(z.string()).check(z.maxLength(suggestionLimits.count)),
});
export type Suggestions = z.infer<typeof suggestionsSchema>;
