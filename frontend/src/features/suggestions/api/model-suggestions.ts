import {
  type RequestSuggestions,
  type SuggestionSource,
  suggestionSourceSchema,
  suggestionsSchema,
} from '@thaw/contract/suggestions';
import { request } from '@/lib/api-client';

/** The chat that suggestions are for. */
export type ChatForSuggestions = { sessionId: string } | { friendId: number };

/** Longer than the server waits for its language model. */
const timeoutMs = 10_000;

/** Fetches whether the server has a language model, and the host of this model. */
export const loadSuggestionSource = async (): Promise<SuggestionSource> =>
  suggestionSourceSchema.parse(await request('GET', '/api/suggestions'));

/**
 * Requests suggestions from the language model. Only for a user who has given their consent.
 * @returns an empty array if the model has no usable answer
 */
export const askModel = async (userId: number, chat: ChatForSuggestions): Promise<string[]> => {
  const body: RequestSuggestions = { userId, ...chat, consent: true };
  return suggestionsSchema.parse(await request('POST', '/api/suggestions', body, timeoutMs)).suggestions;
};
