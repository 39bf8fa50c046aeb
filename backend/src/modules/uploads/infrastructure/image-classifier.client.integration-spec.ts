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

/** Time limit of a client whose server is too slow. */
const SHORT_TIMEOUT_MS = 300;
/** Time limit of a client whose server answers; long enough on a busy machine. */
const LONG_TIMEOUT_MS = 10_000;
/** Time for a client to fail after its time limit, on a busy machine. */
const MARGIN_MS = 500;
/** An image that starts as a JPEG file does. */
const image = { bytes: Buffer.from('\xff\xd8secret image', 'latin1'), contentType: 'image/jpeg' } as const;

describe('ImageClassifierClient', () => {
  let server: TestOptionalServer;
  let client: ImageClassifierClient;

  /** The operator may choose a URL with a query. */
  const createClient = (timeoutMs: number) =>
    new ImageClassifierClient({ url: `${server.url}/classify?size=2`, timeoutMs });

  beforeAll(async () => {
    server = await startTestOptionalServer();
    client = createClient(LONG_TIMEOUT_MS);
  });
  afterAll(() => server.close());
  beforeEach(() => void server.receivedRequests.splice(0));

  it('sends the bytes of the image and nothing about its owner, and returns the score', async () => {
    server.setBehaviour(answerWithJson({ explicit: 0.9, other: 'ignored' }));
    expect(await client.classify(image)).toBe(0.9);
    const [request] = server.receivedRequests;
    expect(request?.path).toBe('/classify?size=2');
    expect(request?.bytes.equals(image.bytes)).toBe(true);
    expect(request?.headers['content-type']).toBe('image/jpeg');
    for (const name of ['cookie', 'authorization', 'referer', 'x-request-id'])
      expect(request?.headers[name]).toBeUndefined();
  });

  it.each([0, 1])('accepts the score %d', async (explicit) => {
    server.setBehaviour(answerWithJson({ explicit }));
    expect(await client.classify(image)).toBe(explicit);
  });

  it.each(Object.entries(failingBehaviours))(
    'fails in time, with an error that quotes no data, and closes the connection when the server %s',
    async (_, { behaviour, reason, isSlow }) => {
      server.setBehaviour(behaviour);
      const timeoutMs = isSlow ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS;
      const startedAt = performance.now();
      const error: unknown = await createClient(timeoutMs)
        .classify(image)
        .catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(OptionalServerError);
      expect((error as Error).message).toBe(reason);
      expect(performance.now() - startedAt).toBeLessThan(timeoutMs + MARGIN_MS);
      // An answer is pending until it is complete or the client has closed the connection.
      await until(() => server.pendingAnswerCount === 0);
    },
  );

  // An opinion is an object whose field `explicit` is a number from 0 to 1.
  it.each([
    {},
    [],
    null,
    0.9,
    { explicit: '0.9' },
    { explicit: null },
    { explicit: 1.01 },
    { explicit: -0.01 },
  ])('rejects the answer %j', async (answer) => {
    server.setBehaviour(answerWithJson(answer));
    await expect(client.classify(image)).rejects.toThrow('the answer is not an opinion');
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with status %d', async (status) => {
    const redirectTarget = await startTestOptionalServer();
    redirectTarget.setBehaviour(answerWithJson({ explicit: 1 }));
    server.setBehaviour(redirectTo(redirectTarget.url, status));
    try {
      await expect(client.classify(image)).rejects.toThrow(`status ${status}`);
      expect(redirectTarget.receivedRequests).toEqual([]);
    } finally {
      await redirectTarget.close();
    }
  });
});
