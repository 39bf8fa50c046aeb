import * as z from 'zod/mini';
import { OptionalServerClient } from '../../../platform/optional-servers/optional-server.client';
import { OptionalServerError } from '../../../platform/optional-servers/optional-server.errors';
import type { PromptMessage } from '../application/suggestion-prompt.functions';

export interface SuggestionModelSettings {
  /** Base address of the API, such as `https://api.example.com/v1`. */
  url: string;
  model: string;
  apiKey: string | undefined;
  /** Maximum time until the complete answer has arrived. */
  timeoutMs: number;
}

/** The prompt asks for three suggestions of less than 100 characters each. */
const MAX_ANSWER_TOKENS = 120;
const TEMPERATURE = 0.8;

const completionSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).check(z.minLength(1)),
});

/** Client of a language model with an OpenAI-compatible chat completion API. */
export class SuggestionModelClient {
  /** Name and port of the server. The page shows this address to users, because their messages are sent to it. */
  readonly host: string;
  private readonly server: OptionalServerClient;

  constructor(private readonly settings: SuggestionModelSettings) {
    const { url, timeoutMs } = settings;
    this.host = new URL(url).host;
    this.server = new OptionalServerClient({
      url: `${url.replace(/\/+$/, '')}/chat/completions`,
      timeoutMs,
    });
  }

  /** @throws OptionalServerError unless a complete answer arrives in time */
  async complete(messages: readonly PromptMessage[]): Promise<string> {
    const { model, apiKey } = this.settings;
    const answer = await this.server.post({
      headers: {
        'Content-Type': 'application/json',
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages,
        max_tokens: MAX_ANSWER_TOKENS,
        temperature: TEMPERATURE,
        stream: false,
      }),
    });
    const parsed = completionSchema.safeParse(answer);
    if (!parsed.success) throw new OptionalServerError('the answer is not a completion');
    // The schema requires a choice; the fallback only satisfies the compiler.
    return parsed.data.choices[0]?.message.content ?? '';
  }
}
