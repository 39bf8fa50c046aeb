// Uses real PostgreSQL and Redis, with an api replica over HTTP, and files in a folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type ClientRequest, type RequestOptions, request as openRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import {
  createGif,
  createGifWithScript,
  createBlackPng,
  createPhotoWithMetadata,
  createPlainJpeg,
  SCRIPT,
  SECRET,
  hostileSvg,
  createRedAndBlueImage,
  appendTrailingData,
} from '../../../testing/image-corpus.fixture';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import {
  type Browser,
  createSessionCookie,
  createErrorBody,
  expectErrorResponse,
  findPort,
  FORM_CONTENT_TYPE,
  FORM_END,
  createFormFile,
  requiredFields,
  signInAnonymously,
  upload,
} from '../../../testing/upload-requests.fixture';

jest.setTimeout(60_000);

const MIB = 1024 * 1024;
/** Time between writing the beginning of an upload and aborting it, in which the server receives the beginning. */
const ABORT_AFTER_MS = 10;

let jpeg: Buffer;
let folder: string;

beforeAll(async () => {
  jpeg = await createPlainJpeg();
  folder = await mkdtemp(path.join(tmpdir(), 'thaw-uploads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an upload', () => {
  let api: TestApi;
  let browser: Browser;
  let userId: number;

  beforeAll(async () => {
    api = await startTestApi({ STORAGE_DIR: folder });
  });
  beforeEach(async () => {
    ({ browser, id: userId } = await signInAnonymously(api));
  });
  // After each test, the replica must still accept an upload.
  afterEach(async () => {
    const next = await signInAnonymously(api);
    await upload(next.browser, jpeg).expect(201);
  });
  afterAll(() => api.close());

  it.each([
    ['photo with its location', createPhotoWithMetadata, 'jpg'],
    ['GIF that is a script', createGifWithScript, 'jpg'],
    ['JPEG with HTML appended', () => appendTrailingData(jpeg, SCRIPT), 'jpg'],
    ['GIF of 10,000 frames', () => createGif(10_000), 'jpg'],
    ['PNG with transparency', () => createRedAndBlueImage().ensureAlpha(0.5).png().toBuffer(), 'webp'],
  ])('of a %s is accepted, and none of its hidden texts is served', async (_, create, extension) => {
    const { body } = await upload(browser, await create()).expect(201);
    expect(body.url).toMatch(new RegExp(`\\.${extension}$`));
    const image = await browser.get(body.url as string).expect(200);
    for (const word of [SECRET, SCRIPT, 'alert']) expect(String(image.body)).not.toContain(word);
  });

  it.each([
    ['an SVG', () => Buffer.from(hostileSvg), 'unsupported_type', 415],
    ['an HTML page', () => Buffer.from(`<!doctype html>${SCRIPT}`), 'unsupported_type', 415],
    ['no bytes', () => Buffer.alloc(0), 'unsupported_type', 415],
    ['900 megapixels', () => createBlackPng(30_000, 30_000), 'image_refused', 422],
    ['half an image', () => jpeg.subarray(0, jpeg.length / 2), 'image_refused', 422],
    [
      'HTML after the signature of a JPEG',
      () => Buffer.from(`\xff\xd8\xff${SCRIPT}`, 'latin1'),
      'image_refused',
      422,
    ],
  ])('of %s is refused', async (_, create, code, status) => {
    await expectErrorResponse(upload(browser, create()), status, code);
    const rows = await api.database.dataSource.query('SELECT 1 FROM uploads WHERE owner_id = $1', [userId]);
    expect(rows).toEqual([]);
  });

  it('is judged by its content, not by its declared type', async () => {
    const { body } = await upload(browser, jpeg, { contentType: 'text/html' }).expect(201);
    expect((await browser.get(body.url as string)).headers['content-type']).toBe('image/jpeg');
    await expectErrorResponse(
      upload(browser, Buffer.from(SCRIPT), { contentType: 'image/png' }),
      415,
      'unsupported_type',
    );
  });

  it('may have up to five mebibytes', async () => {
    // Bytes after the end of a JPEG do not prevent its decoding.
    const createPaddedImage = (size: number) => Buffer.concat([jpeg, Buffer.alloc(size - jpeg.length)]);
    await upload(browser, createPaddedImage(5 * MIB)).expect(201);
    await expectErrorResponse(upload(browser, createPaddedImage(5 * MIB + 1)), 413, 'too_large');
    // Above 5 MiB and 16 KiB for the rest of the form, the declared size suffices: the body is not read.
    await expectErrorResponse(upload(browser, createPaddedImage(12 * MIB)), 413, 'too_large');
  });

  it('is refused as too large even when it does not declare its size', async () => {
    // Without a content-length, Node sends the body in chunks.
    const clientRequest = openUploadRequest(api, { cookie: await createSessionCookie(api) });
    const status = new Promise<number>((resolve, reject) => {
      clientRequest.on('error', reject);
      clientRequest.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    for (const field of requiredFields) clientRequest.write(field);
    clientRequest.write(createFormFile('file', Buffer.alloc(6 * MIB)));
    clientRequest.end(FORM_END);
    expect(await status).toBe(413);
  });

  it('requires a page of the same origin and a signed-in user', async () => {
    const foreignUpload = upload(browser, jpeg).set('Origin', 'https://evil.example');
    await expectErrorResponse(foreignUpload, 403, 'bad_origin');
    await expectErrorResponse(upload(browser, jpeg).set('Sec-Fetch-Site', 'cross-site'), 403, 'bad_origin');
    await expectErrorResponse(upload(api.openBrowser(), jpeg), 401, 'not_signed_in');
  });

  it('releases its concurrency slot when aborted', async () => {
    const cookie = await createSessionCookie(api);
    // More uploads than the slots of a user (2) and of the replica (16).
    for (let round = 0; round < 20; round += 1) await abortUpload(api, cookie);
    await upload(browser, jpeg).expect(201);
  });

  it('is refused directly after twenty others, with the time after which to retry', async () => {
    for (let round = 0; round < 20; round += 1) await upload(browser, jpeg).expect(201);
    const refused = await upload(browser, jpeg);
    expect(refused.body).toEqual(createErrorBody(429, 'rate_limited'));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('is refused when it exceeds the hundred mebibytes that a user may upload per day', async () => {
    // Charges the user for all but one more upload.
    const limiter = api.app.get(RateLimiterService);
    await limiter.require('uploaded_bytes', userId, 100 * MIB - jpeg.length);
    await upload(browser, jpeg).expect(201);
    await expectErrorResponse(upload(browser, jpeg), 429, 'rate_limited');
  });
});

/** Opens a request for an upload. The test writes the form to it. */
const openUploadRequest = (
  api: TestApi,
  headers: Record<string, string>,
  options: RequestOptions = {},
): ClientRequest =>
  openRequest({
    port: findPort(api),
    method: 'POST',
    path: '/api/upload',
    headers: { 'content-type': FORM_CONTENT_TYPE, ...headers },
    ...options,
  });

/** Sends the beginning of an upload, then destroys the connection. */
const abortUpload = (api: TestApi, cookie: string): Promise<void> =>
  new Promise((resolve) => {
    const agent = new Agent();
    const clientRequest = openUploadRequest(api, { cookie, 'content-length': '100000' }, { agent });
    clientRequest.on('error', () => undefined); // it is destroyed on purpose
    clientRequest.on('close', () => {
      agent.destroy();
      resolve();
    });
    clientRequest.write(Buffer.concat([...requiredFields, createFormFile('file', jpeg).subarray(0, 500)]));
    setTimeout(() => clientRequest.destroy(), ABORT_AFTER_MS);
  });
