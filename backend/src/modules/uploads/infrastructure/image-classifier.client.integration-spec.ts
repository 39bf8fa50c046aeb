// Uses an HTTP server in place of the image classifier.
import { OptionalServerError } from '../../../platform/optional-servers/optional-server.errors';
import {
  failingBehaviours,
  redirectTo,
  answerWithJson,
  startTestOptionalServer,
  type TestOptionalServer,
} from '../../../testing/optional-server.harness';
import { until } from '../../../testing/until.functions';
import { ImageClassifierClient } from './image-classifier.client';

/** For a server that lets the client wait. */
const TIMEOUT_MS = 300;
/** For a server that answers; long enough on a busy machine. */
const ANSWERED_WITHIN_MS = 10_000;
const image = { bytes: Buffer.from('\xff\xd8secret image', 'latin1'), contentType: 'image/jpeg' } as const;

describe('ImageClassifierClient', () => {
  let server: TestOptionalServer;
  let client: ImageClassifierClient;

  const createClient = (timeoutMs: number) =>
    new ImageClassifierClient({ url: `${server.url}/classify?size=2`, timeoutMs });

  beforeAll(async () => {
    server = await startTestOptionalServer();
    client = createClient(ANSWERED_WITHIN_MS);
  });
  afterAll(() => server.close());
  beforeEach(() => void server.questions.splice(0));

  it('sends the bytes of the image and nothing about its owner, and returns the opinion', async () => {
    server.behave(answerWithJson({ explicit: 0.9, other: 'ignored' }));
    expect(await client.classify(image)).toBe(0.9);
    const [question] = server.questions;
    expect(question?.path).toBe('/classify?size=2');
    expect(question?.bytes.equals(image.bytes)).toBe(true);
    expect(question?.headers['content-type']).toBe('image/jpeg');
    for (const name of ['cookie', 'authorization', 'referer', 'x-request-id'])
      expect(question?.headers[name]).toBeUndefined();
  });

  it.each([0, 1])('accepts the opinion %d', async (explicit) => {
    server.behave(answerWithJson({ explicit }));
    expect(await client.classify(image)).toBe(explicit);
  });

  it.each(Object.entries(failingBehaviours))(
    'fails in time, quotes nothing and keeps no connection when the server %s',
    async (_, { behaviour, reason, isSlow }) => {
      server.behave(behaviour);
      const timeoutMs = isSlow ? TIMEOUT_MS : ANSWERED_WITHIN_MS;
      const startedAt = performance.now();
      const error: unknown = await createClient(timeoutMs)
        .classify(image)
        .catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(OptionalServerError);
      expect((error as Error).message).toBe(reason);
      expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 500);
      await until(() => server.openAnswers === 0);
    },
  );

  it.each([
    {},
    [],
    null,
    0.9,
    { explicit: '0.9' },
    { explicit: null },
    { explicit: 1.01 },
    { explicit: -0.01 },
  ])('treats %j as no opinion', async (answer) => {
    server.behave(answerWithJson(answer));
    await expect(client.classify(image)).rejects.toThrow('the answer is not an opinion');
  });

  it.each([301, 302, 303, 307, 308])(
    'does not send the image on to a redirect with status %d',
    async (status) => {
      const elsewhere = await startTestOptionalServer();
      elsewhere.behave(answerWithJson({ explicit: 1 }));
      server.behave(redirectTo(elsewhere.url, status));
      try {
        await expect(client.classify(image)).rejects.toThrow(`status ${status}`);
        expect(elsewhere.questions).toEqual([]);
      } finally {
        await elsewhere.close();
      }
    },
  );
});
