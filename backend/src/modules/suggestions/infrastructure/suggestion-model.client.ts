import * as z from 'zod/mini';
import type { PromptMessage } from '../application/suggestion-prompt.functions';

export interface SuggestionModelSettings {
  /** Base address of the API, such as `https://api.example.com/v1`. */
  url: string;
  model: string;
  apiKey: string | undefined;
  /** For the whole answer. */
  timeoutMs: number;
}

/** Why there is no answer. Its message never quotes what was sent or received, so it may be logged. */
export class SuggestionModelError extends Error {
  override readonly name = 'SuggestionModelError';
}

const MAX_TOKENS = 120;
const TEMPERATURE = 0.8;
const MAX_ANSWER_BYTES = 16 * 1024;

const completionSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).check(z.minLength(1)),
});

/** The near end of an OpenAI-compatible API. */
export class SuggestionModelClient {
  /** Name and port of the server, as users see it. */
  readonly host: string;
  private readonly address: string;

  constructor(private readonly settings: SuggestionModelSettings) {
    this.host = new URL(settings.url).host;
    this.address = `${settings.url.replace(/\/+$/, '')}/chat/completions`;
  }

  /** @throws SuggestionModelError unless a whole completion arrives in time */
  async complete(messages: readonly PromptMessage[]): Promise<string> {
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    try {
      return readCompletion(await this.request(messages, signal));
    } catch (error) {
      if (error instanceof SuggestionModelError) throw error;
      throw new SuggestionModelError(signal.aborted ? 'no answer in time' : 'the connection failed');
    }
  }

  private async request(messages: readonly PromptMessage[], signal: AbortSignal): Promise<string> {
    const { model, apiKey } = this.settings;
    const response = await fetch(this.address, {
      method: 'POST',
      signal,
      // A redirect could lead the user's words to another host than the one they agreed to.
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'Content-Type': 'application/json',
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages,
        max_tokens: MAX_TOKENS,
        temperature: TEMPERATURE,
        stream: false,
      }),
    });
    if (response.status === 200) return readBody(response);
    await response.body?.cancel();
    throw new SuggestionModelError(`status ${response.status}`);
  }
}

/** Reads no more than the allowed length, whatever the length that the server has announced. */
const readBody = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new SuggestionModelError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const readCompletion = (body: string): string => {
  let content: unknown;
  try {
    content = JSON.parse(body);
  } catch {
    throw new SuggestionModelError('the answer is not JSON');
  }
  const parsed = completionSchema.safeParse(content);
  if (!parsed.success) throw new SuggestionModelError('the answer is not a completion');
  return parsed.data.choices[0]?.message.content ?? '';
};
