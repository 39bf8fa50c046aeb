// Uses real PostgreSQL and Redis, with an api replica over HTTP, and files in a folder or on an S3 server.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import {
  createNoisyPng,
  createPhotoWithMetadata,
  createPlainJpeg,
  SECRET,
} from '../../../testing/image-corpus.fixture';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import { startTestS3, type TestS3 } from '../../../testing/test-s3.harness';
import {
  type Browser,
  expectErrorResponse,
  signInAnonymously,
  upload,
} from '../../../testing/upload-requests.fixture';
import { parseImageUrl } from '../../../testing/uploads.fixture';
import { UploadRemovalService } from '../application/upload-removal.service';
import { UploadsService } from '../application/uploads.service';
import { UploadRepository } from '../infrastructure/upload.repository';

jest.setTimeout(60_000);

const uuidPattern = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

let jpeg: Buffer;
let folder: string;
let s3: TestS3;

beforeAll(async () => {
  jpeg = await createPlainJpeg();
  folder = await mkdtemp(path.join(tmpdir(), 'thaw-uploads-'));
  s3 = await startTestS3();
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const avatarOptions = { bucket: 'avatars', fileName: 'profiles/a.png' };

/** Uploads the plain JPEG, by default as an image of a chat. */
const uploadAndGetUrl = async (
  browser: Browser,
  options?: { bucket: string; fileName: string },
): Promise<string> => {
  const { body } = await upload(browser, jpeg, options).expect(201);
  return body.url as string;
};

// The settings are functions, because `folder` and `s3` are set in `beforeAll`.
describe.each([
  ['a folder', () => ({ STORAGE_DIR: folder })],
  ['S3', () => s3.settings],
])('images in %s', (_, getSettings) => {
  let api: TestApi;
  let uploads: UploadsService;
  let removal: UploadRemovalService;
  let storage: FileStoragePort;

  beforeAll(async () => {
    api = await startTestApi(getSettings());
    uploads = api.app.get(UploadsService);
    storage = api.app.get<FileStoragePort>(FILE_STORAGE_PORT);
    // An api replica has no removal service: the worker removes images.
    removal = new UploadRemovalService(api.app.get(UploadRepository), storage);
  });
  afterAll(() => api.close());

  /**
   * Signs in three users. The returned `requestAsEach` requests an image as each of them, and signed out. It returns
   * the status codes.
   */
  const signInThree = async () => {
    const ada = await signInAnonymously(api);
    const bob = await signInAnonymously(api);
    const eve = await signInAnonymously(api);
    const requestAsEach = async (url: string) => ({
      ada: (await ada.browser.get(url)).status,
      bob: (await bob.browser.get(url)).status,
      eve: (await eve.browser.get(url)).status,
      signedOut: (await api.openBrowser().get(url)).status,
    });
    return { ada, bob, eve, requestAsEach };
  };

  it('are served re-encoded, without the metadata of the upload', async () => {
    const { browser } = await signInAnonymously(api);
    const { body } = await upload(browser, await createPhotoWithMetadata()).expect(201);
    expect(body).toEqual({ url: expect.stringMatching(`^/api/files/chat-images/${uuidPattern}\\.jpg$`) });

    const image = await browser.get(body.url as string).expect(200);
    expect(image.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String((image.body as Buffer).length),
      'cache-control': 'private, max-age=86400, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      etag: expect.stringMatching(`^"${uuidPattern}\\.jpg"$`),
    });
    // The photo has 200 × 100 pixels and an orientation tag, which the server applies. No EXIF data remains.
    const { width, height, exif } = await sharp(image.body as Buffer).metadata();
    expect({ width, height, exif }).toEqual({ width: 100, height: 200, exif: undefined });
    expect((image.body as Buffer).toString('latin1')).not.toContain(SECRET);
  });

  it('of more than 500 kB are served completely', async () => {
    // Such an image is streamed in several chunks.
    const { browser } = await signInAnonymously(api);
    const { body } = await upload(browser, await createNoisyPng(1_000)).expect(201);
    const image = await browser.get(body.url as string).expect(200);
    expect((image.body as Buffer).length).toBeGreaterThan(500_000);
    expect(await sharp(image.body as Buffer).stats()).toBeDefined(); // decodes all pixels
  });

  it('are not sent again when If-None-Match matches their ETag', async () => {
    const { browser } = await signInAnonymously(api);
    const url = await uploadAndGetUrl(browser);
    const { headers } = await browser.get(url);
    for (const knownEtags of [headers.etag, `W/${headers.etag}`, `"other", ${headers.etag}`, '*']) {
      const response = await browser.get(url).set('If-None-Match', knownEtags!).expect(304);
      expect(response.headers['cache-control']).toBe('private, max-age=86400, immutable');
      expect(response.text).toBeFalsy();
    }
    await browser.get(url).set('If-None-Match', '"other"').expect(200);
  });

  it('have the same length and type in the response to HEAD as in that to GET', async () => {
    const { browser } = await signInAnonymously(api);
    const url = await uploadAndGetUrl(browser);
    const { headers } = await browser.get(url);
    const head = await browser.head(url).expect(200);
    expect(head.headers['content-length']).toBe(headers['content-length']);
    expect(head.headers['content-type']).toBe('image/jpeg');
  });

  it('of profiles are visible to every signed-in user', async () => {
    const { ada, requestAsEach } = await signInThree();
    const avatar = await uploadAndGetUrl(ada.browser, avatarOptions);
    expect(await requestAsEach(avatar)).toEqual({ ada: 200, bob: 200, eve: 200, signedOut: 401 });
  });

  it('of chats are visible only to their owner and to users with a grant', async () => {
    const { ada, bob, requestAsEach } = await signInThree();
    const chatImage = await uploadAndGetUrl(ada.browser);
    expect(await requestAsEach(chatImage)).toEqual({ ada: 200, bob: 404, eve: 404, signedOut: 401 });
    await uploads.grant(chatImage, bob.id);
    await uploads.grant([chatImage], bob.id); // a list is accepted, too; the repetition has no effect
    expect(await requestAsEach(chatImage)).toEqual({ ada: 200, bob: 200, eve: 404, signedOut: 401 });
  });

  it('are refused to users without a grant, even with a known ETag or with HEAD', async () => {
    const { ada, eve } = await signInThree();
    const chatImage = await uploadAndGetUrl(ada.browser);
    const { headers } = await ada.browser.get(chatImage);
    await expectErrorResponse(
      eve.browser.get(chatImage).set('If-None-Match', headers.etag!),
      404,
      'not_found',
    );
    await eve.browser.head(chatImage).expect(404);
    const refused = await eve.browser.get(chatImage);
    expect(refused.headers['cache-control']).toBe('no-store');
    expect(refused.headers.etag).toBeUndefined();
  });

  it('are invisible to everyone when their message has expired, and the next sweep deletes their file', async () => {
    const { ada, bob, requestAsEach } = await signInThree();
    const chatImage = await uploadAndGetUrl(ada.browser);
    const avatar = await uploadAndGetUrl(ada.browser, avatarOptions);
    await uploads.grant(chatImage, bob.id);

    const message = { streamId: 'chat-x', eventId: randomUUID(), type: 'MessageSent' };
    const data = { senderId: ada.id, messageType: 'image', content: chatImage };
    // The worker calls this for a message that has expired.
    await removal.releaseImagesOf([{ ...message, data }], api.database.dataSource.manager);
    const statusesAfterExpiry = { ada: 404, bob: 404, eve: 404, signedOut: 401 };
    expect(await requestAsEach(chatImage)).toEqual(statusesAfterExpiry);
    expect(await uploads.isOwnedBy(ada.id, chatImage, 'chat-images')).toBe(false);

    await removal.sweep(new Date());
    expect(await requestAsEach(chatImage)).toEqual(statusesAfterExpiry);
    expect(await storage.open(parseImageUrl(chatImage))).toBeNull();
    // Other images of the user are not affected.
    expect(await requestAsEach(avatar)).toEqual({ ada: 200, bob: 200, eve: 200, signedOut: 401 });
  });

  it('of several users are stored under their own URLs when uploaded concurrently', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => signInAnonymously(api)));
    const requests = await Promise.all(
      users.flatMap(({ browser }) =>
        [20, 30, 40].map(async (width) => ({ browser, width, image: await createPlainJpeg(width, 10) })),
      ),
    );
    const responses = await Promise.all(requests.map(({ browser, image }) => upload(browser, image)));
    expect(responses.map(({ status }) => status)).toEqual(requests.map(() => 201));
    expect(new Set(responses.map(({ body }) => body.url as string)).size).toBe(requests.length);
    for (const [index, { browser, width }] of requests.entries()) {
      const image = await browser.get(responses[index]!.body.url as string).expect(200);
      expect((await sharp(image.body as Buffer).metadata()).width).toBe(width);
    }
  });
});

describe('the API of images', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ STORAGE_DIR: folder });
  });
  afterAll(() => api.close());

  it('returns 404 unless the URL is exactly that of a stored image', async () => {
    const { browser } = await signInAnonymously(api);
    const url = await uploadAndGetUrl(browser);
    const name = url.split('/').at(-1)!;
    for (const wrongUrl of [
      `/api/files/avatars/${name}`,
      `/api/files/secrets/${name}`,
      `/api/files/__proto__/${name}`,
      `/api/files/chat-images/profiles/${name}`,
      `/api/files/chat-images/other/${name}`,
      `/api/files/chat-images/${name}.jpg`,
      `/api/files/chat-images/${name.toUpperCase()}`,
      `/api/files/chat-images/${randomUUID()}.jpg`,
      `/api/files/chat-images/${name}/${name}`,
      `/api/files/chat-images/${name}%00`,
      `/api/files/chat-images/..%2Favatars%2F${name}`,
      `/api/files/chat-images/..%2F..%2F..%2Fetc%2Fpasswd`,
      `/api/files/chat-images/%2e%2e/%2e%2e/package.json`,
      `/api/files/..%2F..%2F/${name}`,
      '/api/files/chat-images/.unfinished',
      '/api/files/chat-images',
      '/api/files',
    ]) {
      await expectErrorResponse(browser.get(wrongUrl), 404, 'not_found');
    }
    await browser.get(url).expect(200);
  });

  it('returns 404 for POST, PUT and DELETE', async () => {
    const { browser } = await signInAnonymously(api);
    const url = await uploadAndGetUrl(browser);
    for (const method of ['post', 'put', 'delete'] as const) {
      await expectErrorResponse(browser[method](url), 404, 'not_found');
    }
  });

  it('documents the media type and the status codes of the upload route', async () => {
    const { body } = await api.openBrowser().get('/api/docs/openapi.json').expect(200);
    const { requestBody, responses } = body.paths['/api/upload'].post;
    expect(Object.keys(requestBody.content)).toEqual(['multipart/form-data']);
    expect(Object.keys(responses).sort()).toEqual([
      '201',
      '400',
      '401',
      '403',
      '413',
      '415',
      '422',
      '429',
      '503',
    ]);
  });
});
