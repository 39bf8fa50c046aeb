// Uses an HTTP server in place of the language model.
import {
  failingBehaviours,
  answerWithLines,
  startTestLanguageModel,
  type TestLanguageModel,
} from '../../../testing/language-model.harness';
import { redirectTo } from '../../../testing/optional-server.harness';
import { until } from '../../../testing/until.functions';
import { OptionalServerError } from '../../../platform/optional-servers/optional-server.errors';
import { SuggestionModelClient } from './suggestion-model.client';

/** For a server that does not answer in time. */
const SHORT_TIMEOUT_MS = 300;
/** For a server that answers: long enough on a busy machine. */
const LONG_TIMEOUT_MS = 10_000;
/** Time that a failure may take in addition to the timeout. */
const TOLERANCE_MS = 500;
const prompt = [{ role: 'user', content: 'secret words' }] as const;

describe('SuggestionModelClient', () => {
  let model: TestLanguageModel;
  let client: SuggestionModelClient;

  // The client must remove the slash at the end of the configured address.
  const createClient = (timeoutMs: number) =>
    new SuggestionModelClient({ url: `${model.url}/`, model: 'small', apiKey: 'key-1', timeoutMs });

  beforeAll(async () => {
    model = await startTestLanguageModel();
    client = createClient(LONG_TIMEOUT_MS);
  });
  afterAll(() => model.close());
  beforeEach(() => {
    model.receivedRequests.length = 0;
  });

  it('asks for a short completion without streaming, and returns its text', async () => {
    model.setBehaviour(answerWithLines('one', 'two'));
    expect(await client.complete(prompt)).toBe('one\ntwo');
    const [request] = model.receivedRequests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe('Bearer key-1');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      model: 'small',
      messages: prompt,
      max_tokens: 120,
      temperature: 0.8,
      stream: false,
    });
  });

  it('names the host of the server', () => {
    expect(client.host).toBe(model.host);
  });

  it.each(Object.entries(failingBehaviours))(
    'fails in time, without quoting the prompt or leaving a connection open, when the server %s',
    async (_, { behaviour, reason, isSlow }) => {
      model.setBehaviour(behaviour);
      const timeoutMs = isSlow ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS;
      const startedAt = performance.now();
      const error: unknown = await createClient(timeoutMs)
        .complete(prompt)
        .catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(OptionalServerError);
      expect((error as Error).message).toBe(reason); // which does not quote the prompt
      expect(performance.now() - startedAt).toBeLessThan(timeoutMs + TOLERANCE_MS);
      await until(() => model.pendingAnswerCount === 0); // the client has closed the connection
      model.setBehaviour(answerWithLines('still there'));
      expect(await client.complete(prompt)).toBe('still there');
    },
  );

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with status %d', async (status) => {
    const otherServer = await startTestLanguageModel();
    otherServer.setBehaviour(answerWithLines('from the other server'));
    model.setBehaviour(redirectTo(`${otherServer.url}/chat/completions`, status));
    try {
      await expect(client.complete(prompt)).rejects.toThrow(`status ${status}`);
      expect(otherServer.receivedRequests).toEqual([]);
    } finally {
      await otherServer.close();
    }
  });

  it('fails when there is no server', async () => {
    const stoppedServer = await startTestLanguageModel();
    await stoppedServer.close();
    const unreachable = new SuggestionModelClient({
      url: stoppedServer.url,
      model: 'm',
      apiKey: undefined,
      timeoutMs: LONG_TIMEOUT_MS,
    });
    await expect(unreachable.complete(prompt)).rejects.toThrow('the connection failed');
  });
});
