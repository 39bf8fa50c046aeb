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

/** The product gives the classifier 3 seconds. The other 1.5 seconds are a margin for the rest of an upload. */
const UPLOAD_WITHIN_MS = 4_500;
const avatar = { bucket: 'avatars', fileName: 'profiles/me.jpg' };

describe('an upload with an image classifier', () => {
  let folder: string;
  let jpeg: Buffer;
  let server: TestOptionalServer;
  let api: TestApi;
  let browser: Browser;
  let userId: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'thaw-classified-'));
    [jpeg, server] = await Promise.all([createPlainJpeg(), startTestOptionalServer()]);
    api = await startTestApi({ STORAGE_DIR: folder, IMAGE_CLASSIFIER_URL: server.url });
  });
  beforeEach(async () => {
    server.receivedRequests.splice(0);
    ({ browser, id: userId } = await signInAnonymously(api));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await api.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const listUploads = () =>
    api.database.dataSource.query('SELECT 1 FROM uploads WHERE owner_id = $1', [userId]);
  const listFiles = () => readdir(folder, { recursive: true });

  it.each([0.85, 1])('refuses an avatar that is rated %d, before anything is stored', async (explicit) => {
    server.setBehaviour(answerWithJson({ explicit }));
    const filesBefore = await listFiles();
    await expectErrorResponse(upload(browser, jpeg, avatar), 422, 'image_refused');
    expect(await listUploads()).toEqual([]);
    expect(await listFiles()).toEqual(filesBefore);
  });

  it('accepts an avatar that is rated below 0.85', async () => {
    server.setBehaviour(answerWithJson({ explicit: 0.849 }));
    const { body } = await upload(browser, jpeg, avatar).expect(201);
    expect(body.url).toMatch(/^\/api\/files\/avatars\/profiles\/[0-9a-f-]{36}\.jpg$/);
  });

  it('marks the URL of a chat image that is rated 0.85 or more as possibly explicit', async () => {
    const uploadWithScore = async (explicit: number) => {
      server.setBehaviour(answerWithJson({ explicit }));
      return String((await upload(browser, jpeg, { fileName: 'private-chat/a.jpg' }).expect(201)).body.url);
    };
    const explicitUrl = await uploadWithScore(0.85);
    expect(explicitUrl).toMatch(/^\/api\/files\/chat-images\/private-chat\/[0-9a-f-]{36}\.explicit\.jpg$/);
    expect(mayBeExplicit(explicitUrl)).toBe(true);
    const harmlessUrl = await uploadWithScore(0.849);
    expect(mayBeExplicit(harmlessUrl)).toBe(false);
    await browser.get(explicitUrl).expect(200).expect('Content-Type', 'image/jpeg');
    // A client can neither remove the mark from a URL nor add one: the changed URL has no file.
    await browser.get(explicitUrl.replace('.explicit', '')).expect(404);
    await browser.get(harmlessUrl.replace('.jpg', '.explicit.jpg')).expect(404);
  });

  it('sends the re-encoded image to the classifier, not the uploaded file', async () => {
    server.setBehaviour(answerWithJson({ explicit: 0 }));
    const { body } = await upload(browser, jpeg).expect(201);
    const served = await browser.get(body.url as string).expect(200);
    expect(server.receivedRequests).toHaveLength(1);
    expect(server.receivedRequests[0]?.bytes.equals(served.body as Buffer)).toBe(true);
    expect(server.receivedRequests[0]?.bytes.equals(jpeg)).toBe(false);
  });

  // The last test, because no further request is sent to the classifier for five minutes after the failures.
  it('succeeds when the classifier fails, and does not call it again after three failures', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { behaviour: neverAnswer } = failingBehaviours['never answers']!;
    const failures = [answerWithJson({ explicit: 'certainly' }), redirectTo(server.url), neverAnswer];
    for (const behaviour of failures) {
      server.setBehaviour(behaviour);
      const startedAt = performance.now();
      await upload(browser, jpeg, avatar).expect(201);
      expect(performance.now() - startedAt).toBeLessThan(UPLOAD_WITHIN_MS);
    }
    // An avatar that the classifier would refuse, and a chat image that it would mark.
    server.setBehaviour(answerWithJson({ explicit: 1 }));
    await upload(browser, jpeg, avatar).expect(201);
    const { body } = await upload(browser, jpeg).expect(201);
    expect(mayBeExplicit(body.url as string)).toBe(false);
    expect(server.receivedRequests).toHaveLength(failures.length);
    // All failures together cause one log line, with the reason of the last one.
    const logLines = warn.mock.calls
      .map(([line]) => String(line))
      .filter((line) => line.includes('classifier'));
    expect(logLines).toEqual(['The image classifier has failed 3 times in a row: no answer in time']);
  });
});
