import {
  type RequestSuggestions,
  type SuggestionSource,
  suggestionSourceSchema,
  suggestionsSchema,
} from '@thaw/contract/suggestions';
import { request } from '@/lib/api-client';

/** The chat that suggestions are for. */
export type SuggestedChat = { sessionId: string } | { friendId: number };

/** Longer than a server waits for its model. */
const timeoutMs = 10_000;

/** Whether the server has a language model, and where. */
export const loadSource = async (): Promise<SuggestionSource> =>
  suggestionSourceSchema.parse(await request('GET', '/api/suggestions'));

/**
 * Asks the language model, with the consent of the user.
 * @returns none when the model has no answer
 */
export const askModel = async (userId: number, chat: SuggestedChat): Promise<string[]> => {
  const body: RequestSuggestions = { userId, ...chat, consent: true };
  return suggestionsSchema.parse(await request('POST', '/api/suggestions', body, timeoutMs)).suggestions;
};
