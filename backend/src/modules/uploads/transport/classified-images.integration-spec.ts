// Uses real PostgreSQL and Redis, an api replica over HTTP, files in a folder, and an HTTP server in place of the
// classifier.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { mayBeExplicit } from '@thaw/contract/uploads';
import { createPlainJpeg } from '../../../testing/image-corpus.fixture';
import {
  failingBehaviours,
  redirectTo,
  answerWithJson,
  startTestOptionalServer,
  type TestOptionalServer,
} from '../../../testing/optional-server.harness';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import {
  type Browser,
  expectErrorResponse,
  signInAnonymously,
  upload,
} from '../../../testing/upload-requests.fixture';

jest.setTimeout(60_000);

/** The product waits 3 seconds for the classifier. The rest of an upload takes less than 1.5 seconds. */
const UPLOAD_WITHIN_MS = 4_500;
const avatar = { bucket: 'avatars', fileName: 'profiles/me.jpg' };

// The classifier rates how explicit an image is, from 0 to 1. Images with a score of at least 0.85 count as explicit.
describe('the API with an image classifier', () => {
  let folder: string;
  let jpeg: Buffer;
  let classifier: TestOptionalServer;
  let api: TestApi;
  let browser: Browser;
  let userId: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'thaw-classified-'));
    [jpeg, classifier] = await Promise.all([createPlainJpeg(), startTestOptionalServer()]);
    api = await startTestApi({ STORAGE_DIR: folder, IMAGE_CLASSIFIER_URL: classifier.url });
  });
  beforeEach(async () => {
    classifier.receivedRequests.splice(0);
    ({ browser, id: userId } = await signInAnonymously(api));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await api.close();
    await classifier.close();
    await rm(folder, { recursive: true, force: true });
  });

  const listUploads = () =>
    api.database.dataSource.query('SELECT 1 FROM uploads WHERE owner_id = $1', [userId]);
  const listFiles = () => readdir(folder, { recursive: true });
  const answerWithScore = (score: number) => classifier.setBehaviour(answerWithJson({ explicit: score }));
  const uploadChatImage = async (score: number): Promise<string> => {
    answerWithScore(score);
    const { body } = await upload(browser, jpeg, { fileName: 'private-chat/a.jpg' }).expect(201);
    return body.url as string;
  };

  it.each([0.85, 1])('refuses an avatar with the score %d, before anything is stored', async (score) => {
    answerWithScore(score);
    const filesBefore = await listFiles();
    await expectErrorResponse(upload(browser, jpeg, avatar), 422, 'image_refused');
    expect(await listUploads()).toEqual([]);
    expect(await listFiles()).toEqual(filesBefore);
  });

  it('accepts an avatar with a score below 0.85', async () => {
    answerWithScore(0.849);
    const { body } = await upload(browser, jpeg, avatar).expect(201);
    expect(body.url).toMatch(/^\/api\/files\/avatars\/profiles\/[0-9a-f-]{36}\.jpg$/);
  });

  it('stores a chat image with a score of 0.85 or more, and marks its URL as possibly explicit', async () => {
    const explicitUrl = await uploadChatImage(0.85);
    expect(explicitUrl).toMatch(/^\/api\/files\/chat-images\/private-chat\/[0-9a-f-]{36}\.explicit\.jpg$/);
    expect(mayBeExplicit(explicitUrl)).toBe(true);
    await browser.get(explicitUrl).expect(200).expect('Content-Type', 'image/jpeg');
  });

  it('does not mark the URL of a chat image with a score below 0.85', async () => {
    expect(mayBeExplicit(await uploadChatImage(0.849))).toBe(false);
  });

  it('serves no chat image at a URL from which the mark was removed, or to which one was added', async () => {
    const explicitUrl = await uploadChatImage(0.85);
    await browser.get(explicitUrl.replace('.explicit', '')).expect(404);
    const harmlessUrl = await uploadChatImage(0.849);
    await browser.get(harmlessUrl.replace('.jpg', '.explicit.jpg')).expect(404);
  });

  it('sends the re-encoded image to the classifier, not the uploaded file', async () => {
    answerWithScore(0);
    const { body } = await upload(browser, jpeg).expect(201);
    const served = await browser.get(body.url as string).expect(200);
    expect(classifier.receivedRequests).toHaveLength(1);
    expect(classifier.receivedRequests[0]?.bytes.equals(served.body as Buffer)).toBe(true);
    expect(classifier.receivedRequests[0]?.bytes.equals(jpeg)).toBe(false);
  });

  // Must be the last test: after the failures, the classifier is not called for five minutes.
  it('accepts images when the classifier fails, and stops calling it after three failures', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const failures = [
      answerWithJson({ explicit: 'certainly' }),
      redirectTo(classifier.url),
      failingBehaviours['never answers']!.behaviour,
    ];
    for (const behaviour of failures) {
      classifier.setBehaviour(behaviour);
      const startedAt = performance.now();
      await upload(browser, jpeg, avatar).expect(201);
      expect(performance.now() - startedAt).toBeLessThan(UPLOAD_WITHIN_MS);
    }
    // An avatar that the classifier would refuse, and a chat image that it would mark.
    answerWithScore(1);
    await upload(browser, jpeg, avatar).expect(201);
    expect(mayBeExplicit(await uploadChatImage(1))).toBe(false);
    expect(classifier.receivedRequests).toHaveLength(failures.length);
    // All failures together cause one log line, with the reason of the last one.
    const logLines = warn.mock.calls
      .map(([line]) => String(line))
      .filter((line) => line.includes('classifier'));
    expect(logLines).toEqual(['The image classifier has failed 3 times in a row: no answer in time']);
  });
});
