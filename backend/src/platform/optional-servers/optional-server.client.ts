import { OptionalServerError } from './optional-server.errors';

export interface OptionalServerSettings {
  /** Where questions are sent, by POST. */
  address: string;
  /** For the whole answer. */
  timeoutMs: number;
}

export interface ServerQuestion {
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

const MAX_ANSWER_BYTES = 16 * 1024;

/** The near end of a server that an operator may set up, and whose answers are not trusted. */
export class OptionalServerClient {
  constructor(private readonly settings: OptionalServerSettings) {}

  /**
   * @returns the parsed JSON of the answer
   * @throws OptionalServerError unless a whole answer with status 200 arrives in time
   */
  async post(question: ServerQuestion): Promise<unknown> {
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    try {
      return parseJson(await this.request(question, signal));
    } catch (error) {
      if (error instanceof OptionalServerError) throw error;
      throw new OptionalServerError(signal.aborted ? 'no answer in time' : 'the connection failed');
    }
  }

  private async request({ headers, body }: ServerQuestion, signal: AbortSignal): Promise<string> {
    const response = await fetch(this.settings.address, {
      method: 'POST',
      signal,
      // A redirect could lead what users sent to another host than the one that the operator has named.
      redirect: 'manual',
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
      body,
    });
    if (response.status === 200) return readBody(response);
    await response.body?.cancel();
    throw new OptionalServerError(`status ${response.status}`);
  }
}

/** Reads no more than the allowed length, whatever the length that the server has announced. */
const readBody = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
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
