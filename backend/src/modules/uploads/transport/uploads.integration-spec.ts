// Real: PostgreSQL, Redis, an api replica over HTTP; files in a folder and in a server that speaks S3.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import type request from 'supertest';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import {
  gif,
  gifThatIsAScript,
  hugePng,
  noisyPng,
  photoWithMetadata,
  plainJpeg,
  SCRIPT,
  SECRET,
  svg,
  twoHalves,
  withTrailing,
} from '../../../testing/image-corpus.fixture';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import { startTestS3, type TestS3 } from '../../../testing/test-s3.harness';
import { UploadRemovalService } from '../application/upload-removal.service';
import { UploadsService } from '../application/uploads.service';
import { UploadRepository } from '../infrastructure/upload.repository';

jest.setTimeout(60_000);

type Browser = ReturnType<TestApi['browser']>;

const MIB = 1024 * 1024;
const uuidPattern = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

interface Form {
  bucket?: string;
  fileName?: string;
  contentType?: string;
}

const upload = (browser: Browser, image: Buffer, form: Form = {}): request.Test =>
  browser
    .post('/api/upload')
    .field('bucket', form.bucket ?? 'chat-images')
    .field('fileName', form.fileName ?? 'cat.jpg')
    .attach('file', image, { filename: 'cat.jpg', contentType: form.contentType ?? 'image/jpeg' });

/** A part of a hand-written form, for requests that no client library would send. */
const part = (headers: string, content: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`--edge\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
const field = (name: string, value: string): Buffer =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, content: Buffer): Buffer =>
  part(
    `Content-Disposition: form-data; name="${name}"; filename="a.jpg"\r\nContent-Type: image/jpeg`,
    content,
  );
const END = Buffer.from('--edge--\r\n');
const fields = [field('bucket', 'chat-images'), field('fileName', 'a.jpg')];

const postForm = (
  browser: Browser,
  parts: readonly Buffer[],
  contentType = 'multipart/form-data; boundary=edge',
): request.Test =>
  browser
    .post('/api/upload')
    .set('Content-Type', contentType)
    .serialize((body: Buffer) => body as unknown as string)
    .send(Buffer.concat(parts) as unknown as string);

const join = async (api: TestApi) => {
  const browser = api.browser();
  const response = await browser.post('/api/anonymous').expect(201);
  return { browser, id: response.body.user.id as number };
};

const refusal = (statusCode: number, code: string) => ({ statusCode, code, message: expect.any(String) });

const expectRefusal = async (answer: request.Test, statusCode: number, code: string): Promise<void> => {
  const { status, body } = await answer;
  expect({ status, body }).toEqual({ status: statusCode, body: refusal(statusCode, code) });
};

let jpeg: Buffer;
let folder: string;
let s3: TestS3;

beforeAll(async () => {
  jpeg = await plainJpeg();
  folder = await mkdtemp(path.join(tmpdir(), 'thaw-uploads-'));
  s3 = await startTestS3();
});

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  ['a folder', () => ({ STORAGE_DIR: folder })],
  ['S3', () => s3.settings],
])('images in %s', (_, settings) => {
  let api: TestApi;
  let uploads: UploadsService;
  let removal: UploadRemovalService;

  beforeAll(async () => {
    api = await startTestApi(settings());
    uploads = api.app.get(UploadsService);
    removal = new UploadRemovalService(
      api.app.get(UploadRepository),
      api.app.get<FileStoragePort>(FILE_STORAGE_PORT),
    );
  });
  afterAll(() => api.close());

  it('are served re-encoded', async () => {
    const { browser } = await join(api);
    const { body } = await upload(browser, await photoWithMetadata()).expect(201);
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
    const { width, height, exif } = await sharp(image.body as Buffer).metadata();
    expect({ width, height, exif }).toEqual({ width: 100, height: 200 });
    expect((image.body as Buffer).toString('latin1')).not.toContain(SECRET);
  });

  it('of a megabyte arrive whole', async () => {
    const { browser } = await join(api);
    const { body } = await upload(browser, await noisyPng(1_000)).expect(201);
    const image = await browser.get(body.url as string).expect(200);
    expect((image.body as Buffer).length).toBeGreaterThan(500_000);
    expect(await sharp(image.body as Buffer).stats()).toBeDefined();
  });

  it('are not sent again to a client that has them', async () => {
    const { browser } = await join(api);
    const { body } = await upload(browser, jpeg).expect(201);
    const url = body.url as string;
    const { headers } = await browser.get(url);
    for (const known of [headers.etag, `W/${headers.etag}`, `"other", ${headers.etag}`, '*']) {
      const answer = await browser.get(url).set('If-None-Match', known!).expect(304);
      expect(answer.headers['cache-control']).toBe('private, max-age=86400, immutable');
      expect(answer.text).toBeFalsy();
    }
    await browser.get(url).set('If-None-Match', '"other"').expect(200);
    const head = await browser.head(url).expect(200);
    expect(head.headers['content-length']).toBe(headers['content-length']);
    expect(head.headers['content-type']).toBe('image/jpeg');
  });

  it('are visible only to users who are allowed to see them (A100)', async () => {
    const [ada, bob, eve] = [await join(api), await join(api), await join(api)];
    const chatImage = (await upload(ada.browser, jpeg)).body.url as string;
    const avatar = (await upload(ada.browser, jpeg, { bucket: 'avatars', fileName: 'profiles/a.png' })).body
      .url as string;
    const seenBy = async (url: string): Promise<Record<string, number>> => ({
      ada: (await ada.browser.get(url)).status,
      bob: (await bob.browser.get(url)).status,
      eve: (await eve.browser.get(url)).status,
      visitor: (await api.browser().get(url)).status,
    });

    expect(await seenBy(avatar)).toEqual({ ada: 200, bob: 200, eve: 200, visitor: 401 });
    expect(await seenBy(chatImage)).toEqual({ ada: 200, bob: 404, eve: 404, visitor: 401 });

    await uploads.grant(chatImage, bob.id);
    await uploads.grant([chatImage], bob.id);
    expect(await seenBy(chatImage)).toEqual({ ada: 200, bob: 200, eve: 404, visitor: 401 });
    // The ETag or another method does not help to get at a known address.
    const { headers } = await ada.browser.get(chatImage);
    await expectRefusal(eve.browser.get(chatImage).set('If-None-Match', headers.etag!), 404, 'not_found');
    await eve.browser.head(chatImage).expect(404);
    const denied = await eve.browser.get(chatImage);
    expect(denied.headers['cache-control']).toBe('no-store');
    expect(denied.headers.etag).toBeUndefined();

    const dropped = { streamId: 'chat-x', eventId: randomUUID(), type: 'MessageSent' };
    const data = { senderId: ada.id, messageType: 'image', content: chatImage };
    await removal.expire([{ ...dropped, data }], api.database.dataSource.manager);
    const gone = { ada: 404, bob: 404, eve: 404, visitor: 401 };
    expect(await seenBy(chatImage)).toEqual(gone);
    expect(await seenBy(avatar)).toEqual({ ada: 200, bob: 200, eve: 200, visitor: 401 });
    expect(await uploads.ownedBy(ada.id, chatImage, 'chat-images')).toBe(false);

    await removal.sweep(new Date());
    expect(await seenBy(chatImage)).toEqual(gone);
    expect(await api.app.get<FileStoragePort>(FILE_STORAGE_PORT).open(addressOf(chatImage))).toBeNull();
  });

  it('are accepted concurrently', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => join(api)));
    const sent = await Promise.all(
      people.flatMap(({ browser }) =>
        [20, 30, 40].map(async (width) => ({ browser, width, image: await plainJpeg(width, 10) })),
      ),
    );
    const answers = await Promise.all(sent.map(({ browser, image }) => upload(browser, image)));
    expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.url as string)).size).toBe(sent.length);
    for (const [index, { browser, width }] of sent.entries()) {
      const image = await browser.get(answers[index]!.body.url as string).expect(200);
      expect((await sharp(image.body as Buffer).metadata()).width).toBe(width);
    }
  });
});

describe('an upload', () => {
  let api: TestApi;
  let browser: Browser;
  let userId: number;

  beforeAll(async () => {
    api = await startTestApi({ STORAGE_DIR: folder });
  });
  beforeEach(async () => {
    ({ browser, id: userId } = await join(api));
  });
  // After each upload, the replica still works and accepts another.
  afterEach(async () => {
    const next = await join(api);
    await upload(next.browser, jpeg).expect(201);
  });
  afterAll(() => api.close());

  it.each([
    ['photo with its place', photoWithMetadata, 'jpg'],
    ['GIF that is a script', gifThatIsAScript, 'jpg'],
    ['JPEG with a page behind it', () => withTrailing(jpeg, SCRIPT), 'jpg'],
    ['GIF of 10,000 pictures', () => gif(10_000), 'jpg'],
    ['picture with transparency', () => twoHalves().ensureAlpha(0.5).png().toBuffer(), 'webp'],
  ])('of a %s is accepted', async (_, create, extension) => {
    const { body } = await upload(browser, await create()).expect(201);
    expect(body.url).toMatch(new RegExp(`\\.${extension}$`));
    const image = await browser.get(body.url as string).expect(200);
    for (const word of [SECRET, SCRIPT, 'alert']) expect(String(image.body)).not.toContain(word);
  });

  it.each([
    ['a drawing', () => Buffer.from(svg), 'unsupported_type', 415],
    ['a page', () => Buffer.from(`<!doctype html>${SCRIPT}`), 'unsupported_type', 415],
    ['nothing', () => Buffer.alloc(0), 'unsupported_type', 415],
    ['900 megapixels', () => hugePng(30_000, 30_000), 'image_refused', 422],
    ['half an image', () => jpeg.subarray(0, jpeg.length / 2), 'image_refused', 422],
    [
      'a page that begins as an image',
      () => Buffer.from(`\xff\xd8\xff${SCRIPT}`, 'latin1'),
      'image_refused',
      422,
    ],
  ])('of %s is refused', async (_, create, code, status) => {
    await expectRefusal(upload(browser, create()), status, code);
    const rows = await api.database.dataSource.query('SELECT 1 FROM uploads WHERE owner_id = $1', [userId]);
    expect(rows).toEqual([]);
  });

  it('is judged by its content, not by its declared type', async () => {
    const { body } = await upload(browser, jpeg, { contentType: 'text/html' }).expect(201);
    expect((await browser.get(body.url as string)).headers['content-type']).toBe('image/jpeg');
    await expectRefusal(
      upload(browser, Buffer.from(SCRIPT), { contentType: 'image/png' }),
      415,
      'unsupported_type',
    );
  });

  it('may have exactly five mebibytes (A95)', async () => {
    const padded = (size: number) => Buffer.concat([jpeg, Buffer.alloc(size - jpeg.length)]);
    await upload(browser, padded(5 * MIB)).expect(201);
    await expectRefusal(upload(browser, padded(5 * MIB + 1)), 413, 'too_large');
    await expectRefusal(upload(browser, padded(12 * MIB)), 413, 'too_large');
  });

  it('is refused as too large even when it does not declare its size', async () => {
    const cookie = await cookieOf(api);
    const status = await new Promise<number>((resolve, reject) => {
      const sending = openRequest(
        {
          port: portOf(api),
          method: 'POST',
          path: '/api/upload',
          headers: { cookie, 'content-type': 'multipart/form-data; boundary=edge' },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sending.on('error', reject);
      for (const piece of fields) sending.write(piece);
      sending.write(file('file', Buffer.alloc(6 * MIB)));
      sending.end(END);
    });
    expect(status).toBe(413);
  });

  it.each([
    ['cat.jpg', ''],
    ['profiles/7-1763640000000.png', 'profiles/'],
    ['private-chat/cat.jpg', 'private-chat/'],
    ['', ''],
    ['../../../etc/passwd', ''],
    ['profiles/../../../etc/passwd', 'profiles/'],
    ['profiles\\..\\boot.ini', ''],
    ['/profiles/a.jpg', ''],
    ['Profiles/a.jpg', ''],
    ['other/a.jpg', ''],
    ['__proto__/a.jpg', ''],
    ['a\u0000.jpg', ''],
    ['profiles/\u0000', 'profiles/'],
    ['<script>.svg', ''],
    ['x'.repeat(512), ''],
    ['猫'.repeat(100), ''],
  ])('with the file name %j keeps the prefix %j', async (fileName, prefix) => {
    const { body } = await upload(browser, jpeg, { fileName }).expect(201);
    expect(body.url).toMatch(new RegExp(`^/api/files/chat-images/${prefix}${uuidPattern}\\.jpg$`));
  });

  it.each([
    'secrets',
    '',
    '__proto__',
    'constructor',
    'avatars/',
    '../avatars',
    'Avatars',
    'chat-images\u0000',
  ])('is refused for the bucket %j', async (bucket) => {
    await expectRefusal(upload(browser, jpeg, { bucket }), 400, 'validation_failed');
  });

  it.each([
    ['no file', () => [...fields, END]],
    ['no bucket', () => [field('fileName', 'a'), file('file', jpeg), END]],
    ['no name', () => [field('bucket', 'avatars'), file('file', jpeg), END]],
    ['nothing at all', () => [END]],
    ['a file that is a field', () => [...fields, field('file', 'text'), END]],
    ['a file of another name', () => [...fields, file('image', jpeg), END]],
    ['a bucket that is a file', () => [file('bucket', jpeg), file('file', jpeg), END]],
    ['two files', () => [...fields, file('file', jpeg), file('file', jpeg), END]],
    ['two files of different names', () => [...fields, file('file', jpeg), file('other', jpeg), END]],
    ['two buckets', () => [...fields, field('bucket', 'avatars'), file('file', jpeg), END]],
    [
      'a bucket in pieces',
      () => [field('bucket[]', 'avatars'), field('fileName', 'a'), file('file', jpeg), END],
    ],
    ['nested names', () => [...fields, field('a[b][c]', 'x'), file('file', jpeg), END]],
    ['an endless list', () => [...fields, field('a[4294967294]', 'x'), file('file', jpeg), END]],
    ['__proto__', () => [...fields, field('__proto__', 'x'), file('file', jpeg), END]],
    ['__proto__ and a path', () => [...fields, field('__proto__[isAdmin]', '1'), file('file', jpeg), END]],
    ['constructor', () => [...fields, field('constructor', 'x'), file('file', jpeg), END]],
    ['prototype', () => [...fields, field('prototype', 'x'), file('file', jpeg), END]],
    ['a field without a name', () => [...fields, field('', 'x'), file('file', jpeg), END]],
    ['a long name of a field', () => [...fields, field('n'.repeat(65), 'x'), file('file', jpeg), END]],
    ['a long field', () => [...fields, field('note', 'x'.repeat(513)), file('file', jpeg), END]],
    [
      'too many fields',
      () => [...fields, ...['a', 'b', 'c'].map((name) => field(name, 'x')), file('file', jpeg), END],
    ],
    ['no end', () => [...fields, file('file', jpeg)]],
    ['no end in the middle of the file', () => [...fields, file('file', jpeg).subarray(0, -200)]],
    ['headers without an end', () => [Buffer.from(`--edge\r\nContent-Disposition: ${'x'.repeat(20_000)}`)]],
    ['bytes that are no form', () => [Buffer.alloc(1_000, 0x2d)]],
  ])('with %s is refused', async (_, create) => {
    await expectRefusal(postForm(browser, create()), 400, 'validation_failed');
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it('drops unknown fields', async () => {
    const unknown = [field('toString', 'x'), field('ownerId', '1')];
    await postForm(browser, [...fields, ...unknown, file('file', jpeg), END]).expect(201);
    const rows = await api.database.dataSource.query('SELECT owner_id FROM uploads WHERE owner_id = $1', [
      userId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('is refused unless it is a form', async () => {
    const form = [...fields, file('file', jpeg), END];
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/octet-stream',
      'multipart/mixed; boundary=edge',
      'multipart/form-data',
      'image/jpeg',
    ]) {
      await expectRefusal(postForm(browser, form, type), 415, 'unsupported_type');
    }
    await expectRefusal(browser.post('/api/upload').send({ bucket: 'avatars' }), 415, 'unsupported_type');
    await expectRefusal(postForm(browser, form, 'multipart/form-data; charset=x'), 400, 'validation_failed');
    await expectRefusal(browser.post('/api/upload'), 415, 'unsupported_type');
    // Only uploads may be forms.
    const login = browser.post('/api/login').field('email', 'a@example.org').field('password', 'secret');
    await expectRefusal(login, 415, 'unsupported_type');
  });

  it('requires a page of the same origin and a login', async () => {
    const foreign = upload(browser, jpeg).set('Origin', 'https://evil.example');
    await expectRefusal(foreign, 403, 'bad_origin');
    await expectRefusal(upload(browser, jpeg).set('Sec-Fetch-Site', 'cross-site'), 403, 'bad_origin');
    await expectRefusal(upload(api.browser(), jpeg), 401, 'not_signed_in');
  });

  it('releases its slot when aborted', async () => {
    const cookie = await cookieOf(api);
    for (let round = 0; round < 20; round += 1) await breakOff(api, cookie);
    await upload(browser, jpeg).expect(201);
  });

  it('is limited to twenty in ten minutes', async () => {
    const answers = [];
    for (let round = 0; round < 20; round += 1) answers.push((await upload(browser, jpeg)).status);
    expect(answers).toEqual(Array(20).fill(201));
    const refused = await upload(browser, jpeg);
    expect(refused.body).toEqual(refusal(429, 'rate_limited'));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('counts towards a hundred megabytes per day', async () => {
    const limiter = api.app.get(RateLimiterService);
    await limiter.require('uploaded_bytes', userId, 100 * MIB - jpeg.length);
    await upload(browser, jpeg).expect(201);
    await expectRefusal(upload(browser, jpeg), 429, 'rate_limited');
  });
});

describe('the URL of an image', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ STORAGE_DIR: folder });
  });
  afterAll(() => api.close());

  it('is answered 404 unless it is exactly one of ours', async () => {
    const { browser } = await join(api);
    const url = (await upload(browser, jpeg)).body.url as string;
    const name = url.split('/').at(-1)!;
    for (const wrong of [
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
      await expectRefusal(browser.get(wrong), 404, 'not_found');
    }
    await browser.get(url).expect(200);
    for (const method of ['post', 'put', 'delete'] as const) {
      await expectRefusal(browser[method](url), 404, 'not_found');
    }
  });

  it('is described in the documentation', async () => {
    const { body } = await api.browser().get('/api/docs/openapi.json').expect(200);
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

const addressOf = (url: string) => {
  const [, , , bucket = '', ...key] = url.split('/');
  return { bucket, key: key.join('/') };
};

const portOf = (api: TestApi): number => (api.app.getHttpServer().address() as AddressInfo).port;

const cookieOf = async (api: TestApi): Promise<string> => {
  const response = await api.browser().post('/api/anonymous').expect(201);
  const cookies = response.headers['set-cookie'] as unknown as string[];
  return cookies.map((line) => line.split(';')[0]).join('; ');
};

/** Aborts an upload in the middle. */
const breakOff = (api: TestApi, cookie: string): Promise<void> =>
  new Promise((resolve) => {
    const agent = new Agent();
    const sending = openRequest({
      agent,
      port: portOf(api),
      method: 'POST',
      path: '/api/upload',
      headers: { cookie, 'content-type': 'multipart/form-data; boundary=edge', 'content-length': '100000' },
    });
    sending.on('error', () => undefined);
    sending.on('close', () => {
      agent.destroy();
      resolve();
    });
    sending.write(Buffer.concat([...fields, file('file', jpeg).subarray(0, 500)]));
    setTimeout(() => sending.destroy(), 10);
  });
