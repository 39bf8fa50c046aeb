import * as z from 'zod/mini';
import { idSchema, sessionIdSchema } from './scalars.js';

/** Limits of one answer. Not among the limits that every page loads. */
export const suggestionLimits = { count: 3, maxCodePoints: 120 } as const;

/** Response body of GET /api/suggestions: whether the operator has set up a language model, and where it runs. */
export const suggestionSourceSchema = z.object({
  model: z.boolean(),
  /** Host to which the user's words are sent; null without a model. */
  host: z.nullable(z.string()),
});
export type SuggestionSource = z.infer<typeof suggestionSourceSchema>;

/**
 * Body of POST /api/suggestions. The chat is given by `sessionId` (a random chat) or by `friendId` (a private chat);
 * both or none are refused. `consent` is that of the user to sending their own words to the host of the model.
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

/** Response body of POST /api/suggestions. `none`: the model gave nothing that can be shown. */
export const suggestionsSchema = z.object({
  source: z.enum(['model', 'none']),
  suggestions: z.array(z.string()).check(z.maxLength(suggestionLimits.count)),
});
export type Suggestions = z.infer<typeof suggestionsSchema>;
