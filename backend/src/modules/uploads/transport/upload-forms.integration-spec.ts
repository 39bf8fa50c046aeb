// Uses real PostgreSQL and Redis, with an api replica over HTTP, and files in a folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPlainJpeg } from '../../../testing/image-corpus.fixture';
import { startTestApi, type TestApi } from '../../../testing/test-api.harness';
import {
  BOUNDARY,
  type Browser,
  expectErrorResponse,
  FORM_END,
  createFormField,
  createFormFile,
  postForm,
  requiredFields,
  signInAnonymously,
  upload,
} from '../../../testing/upload-requests.fixture';

jest.setTimeout(60_000);

const uuidPattern = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

let jpeg: Buffer;
let folder: string;

beforeAll(async () => {
  jpeg = await createPlainJpeg();
  folder = await mkdtemp(path.join(tmpdir(), 'thaw-uploads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an upload form', () => {
  let api: TestApi;
  let browser: Browser;
  let userId: number;

  beforeAll(async () => {
    api = await startTestApi({ STORAGE_DIR: folder });
  });
  beforeEach(async () => {
    ({ browser, id: userId } = await signInAnonymously(api));
  });
  // No form may leave the replica unable to accept another upload.
  afterEach(async () => {
    const next = await signInAnonymously(api);
    await upload(next.browser, jpeg).expect(201);
  });
  afterAll(() => api.close());

  // The prefixes `profiles/` and `private-chat/` are allowed.
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
    ['x'.repeat(512), ''], // the maximum length of a field
    ['猫'.repeat(100), ''],
  ])('with the file name %j keeps only the prefix %j', async (fileName, prefix) => {
    const { body } = await upload(browser, jpeg, { fileName }).expect(201);
    expect(body.url).toMatch(new RegExp(`^/api/files/chat-images/${prefix}${uuidPattern}\\.jpg$`));
  });

  it.each([
    ['an unknown bucket', 'secrets'],
    ['an empty bucket', ''],
    ['a bucket called __proto__', '__proto__'],
    ['a bucket called constructor', 'constructor'],
    ['a slash after the bucket', 'avatars/'],
    ['a path as bucket', '../avatars'],
    ['a capital letter in the bucket', 'Avatars'],
    ['NUL after the bucket', 'chat-images\u0000'],
  ])('is refused with %s', async (_reason, bucket) => {
    await expectErrorResponse(upload(browser, jpeg, { bucket }), 400, 'validation_failed');
  });

  it.each([
    ['no file', () => [...requiredFields, FORM_END]],
    ['no bucket', () => [createFormField('fileName', 'a'), createFormFile('file', jpeg), FORM_END]],
    ['no file name', () => [createFormField('bucket', 'avatars'), createFormFile('file', jpeg), FORM_END]],
    ['nothing at all', () => [FORM_END]],
    ['a text field called file', () => [...requiredFields, createFormField('file', 'text'), FORM_END]],
    ['a file in a field of another name', () => [...requiredFields, createFormFile('image', jpeg), FORM_END]],
    [
      'a bucket that is a file',
      () => [createFormFile('bucket', jpeg), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'two files',
      () => [...requiredFields, createFormFile('file', jpeg), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'two files of different names',
      () => [...requiredFields, createFormFile('file', jpeg), createFormFile('other', jpeg), FORM_END],
    ],
    [
      'two buckets',
      () => [...requiredFields, createFormField('bucket', 'avatars'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a bucket in array syntax',
      () => [
        createFormField('bucket[]', 'avatars'),
        createFormField('fileName', 'a'),
        createFormFile('file', jpeg),
        FORM_END,
      ],
    ],
    [
      'nested names',
      () => [...requiredFields, createFormField('a[b][c]', 'x'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a field name with the maximum array index',
      () => [
        ...requiredFields,
        createFormField('a[4294967294]', 'x'),
        createFormFile('file', jpeg),
        FORM_END,
      ],
    ],
    [
      'a field called __proto__',
      () => [...requiredFields, createFormField('__proto__', 'x'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a field that sets a property of __proto__',
      () => [
        ...requiredFields,
        createFormField('__proto__[isAdmin]', '1'),
        createFormFile('file', jpeg),
        FORM_END,
      ],
    ],
    [
      'a field called constructor',
      () => [...requiredFields, createFormField('constructor', 'x'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a field called prototype',
      () => [...requiredFields, createFormField('prototype', 'x'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a field without a name',
      () => [...requiredFields, createFormField('', 'x'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a field name of 65 characters',
      () => [...requiredFields, createFormField('n'.repeat(65), 'x'), createFormFile('file', jpeg), FORM_END],
    ],
    [
      'a field of 513 characters',
      () => [
        ...requiredFields,
        createFormField('note', 'x'.repeat(513)),
        createFormFile('file', jpeg),
        FORM_END,
      ],
    ],
    [
      'five fields, one more than the limit',
      () => [
        ...requiredFields,
        ...['a', 'b', 'c'].map((name) => createFormField(name, 'x')),
        createFormFile('file', jpeg),
        FORM_END,
      ],
    ],
    ['no final boundary', () => [...requiredFields, createFormFile('file', jpeg)]],
    [
      'a file without its last 200 bytes',
      () => [...requiredFields, createFormFile('file', jpeg).subarray(0, -200)],
    ],
    [
      'part headers that never end',
      () => [Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: ${'x'.repeat(20_000)}`)],
    ],
    ['bytes that are not a form', () => [Buffer.alloc(1_000, '-')]],
  ])('is refused with %s', async (_, create) => {
    await expectErrorResponse(postForm(browser, create()), 400, 'validation_failed');
    // No form has changed the prototype of all objects.
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it('is accepted with two unknown fields, which are ignored', async () => {
    const unknown = [createFormField('toString', 'x'), createFormField('ownerId', '1')];
    await postForm(browser, [...requiredFields, ...unknown, createFormFile('file', jpeg), FORM_END]).expect(
      201,
    );
    const rows = await api.database.dataSource.query('SELECT owner_id FROM uploads WHERE owner_id = $1', [
      userId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('is refused with a content type other than that of a form with a boundary', async () => {
    const form = [...requiredFields, createFormFile('file', jpeg), FORM_END];
    for (const contentType of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/octet-stream',
      `multipart/mixed; boundary=${BOUNDARY}`,
      'multipart/form-data', // without any parameter it does not count as a form
      'image/jpeg',
    ]) {
      await expectErrorResponse(postForm(browser, form, contentType), 415, 'unsupported_type');
    }
    await expectErrorResponse(
      browser.post('/api/upload').send({ bucket: 'avatars' }),
      415,
      'unsupported_type',
    );
    // Counts as a form, but the boundary is missing.
    await expectErrorResponse(
      postForm(browser, form, 'multipart/form-data; charset=x'),
      400,
      'validation_failed',
    );
    await expectErrorResponse(browser.post('/api/upload'), 415, 'unsupported_type');
  });

  it('is refused by other routes', async () => {
    const login = browser.post('/api/login').field('email', 'a@example.org').field('password', 'secret');
    await expectErrorResponse(login, 415, 'unsupported_type');
  });
});
