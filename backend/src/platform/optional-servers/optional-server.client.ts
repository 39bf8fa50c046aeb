import { OptionalServerError } from './optional-server.errors';

export interface OptionalServerSettings {
  /** Requests are sent to this URL. */
  url: string;
  /** Maximum time until the complete answer has arrived. */
  timeoutMs: number;
}

export interface OptionalServerRequest {
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

/**
 * Enough for a few suggestions, or for the score of an image. The limit is set in
 * docs/decisions/0065-a-language-model-sees-one-users-words.md.
 */
const MAX_ANSWER_BYTES = 16 * 1024;

/** HTTP client of a server that an operator may set up. The answers of the server are not trusted. */
export class OptionalServerClient {
  constructor(private readonly settings: OptionalServerSettings) {}

  /**
   * @returns the parsed JSON of the answer
   * @throws OptionalServerError unless a complete answer in JSON with status 200 arrives in time
   */
  async post(request: OptionalServerRequest): Promise<unknown> {
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    try {
      return parseJson(await this.send(request, signal));
    } catch (error) {
      if (error instanceof OptionalServerError) throw error;
      throw new OptionalServerError(signal.aborted ? 'no answer in time' : 'the connection failed');
    }
  }

  private async send({ headers, body }: OptionalServerRequest, signal: AbortSignal): Promise<string> {
    const response = await fetch(this.settings.url, {
      method: 'POST',
      signal,
      // A redirect could send the data of users to a host that the operator has not named.
      redirect: 'manual',
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
      body,
    });
    if (response.status === 200) return readBody(response);
    await response.body?.cancel();
    throw new OptionalServerError(`status ${response.status}`);
  }
}

/** @throws OptionalServerError after `MAX_ANSWER_BYTES`, whatever length the server has announced */
const readBody = async ({ body }: Response): Promise<string> => {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > MAX_ANSWER_BYTES) throw new OptionalServerError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new OptionalServerError('the answer is not JSON');
  }
};
