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
  // No form may change the prototype of all objects, or leave the replica unable to accept the upload of another user.
  afterEach(async () => {
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    const otherUser = await signInAnonymously(api);
    await upload(otherUser.browser, jpeg).expect(201);
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

  describe('with its required fields and a file', () => {
    it.each([
      ['a second bucket', 'bucket', 'avatars'],
      ['nested names', 'a[b][c]', 'x'],
      ['a field name with the maximum array index', 'a[4294967294]', 'x'],
      ['a field called __proto__', '__proto__', 'x'],
      ['a field that sets a property of __proto__', '__proto__[isAdmin]', '1'],
      ['a field called constructor', 'constructor', 'x'],
      ['a field called prototype', 'prototype', 'x'],
      ['a field without a name', '', 'x'],
      ['a field name of 65 characters', 'n'.repeat(65), 'x'],
      ['a field of 513 characters', 'note', 'x'.repeat(513)],
    ])('is refused because of %s', async (_reason, name, value) => {
      const form = [...requiredFields, createFormField(name, value), createFormFile('file', jpeg), FORM_END];
      await expectErrorResponse(postForm(browser, form), 400, 'validation_failed');
    });
  });

  it.each<[description: string, createParts: () => Buffer[]]>([
    ['no file', () => [...requiredFields]],
    ['no bucket', () => [createFormField('fileName', 'a'), createFormFile('file', jpeg)]],
    ['no file name', () => [createFormField('bucket', 'avatars'), createFormFile('file', jpeg)]],
    ['nothing at all', () => []],
    ['a text field called file', () => [...requiredFields, createFormField('file', 'text')]],
    ['a file in a field of another name', () => [...requiredFields, createFormFile('image', jpeg)]],
    ['a bucket that is a file', () => [createFormFile('bucket', jpeg), createFormFile('file', jpeg)]],
    ['two files', () => [...requiredFields, createFormFile('file', jpeg), createFormFile('file', jpeg)]],
    [
      'two files of different names',
      () => [...requiredFields, createFormFile('file', jpeg), createFormFile('other', jpeg)],
    ],
    [
      'a bucket in array syntax',
      () => [
        createFormField('bucket[]', 'avatars'),
        createFormField('fileName', 'a'),
        createFormFile('file', jpeg),
      ],
    ],
    [
      'five fields, one more than the limit',
      () => [
        ...requiredFields, // two fields
        ...['a', 'b', 'c'].map((name) => createFormField(name, 'x')),
        createFormFile('file', jpeg),
      ],
    ],
  ])('is refused with %s', async (_description, createParts) => {
    const form = [...createParts(), FORM_END];
    await expectErrorResponse(postForm(browser, form), 400, 'validation_failed');
  });

  it.each<[description: string, createBody: () => Buffer[]]>([
    ['has no end', () => [...requiredFields, createFormFile('file', jpeg)]],
    [
      'ends 200 bytes before the end of the file',
      () => [...requiredFields, createFormFile('file', jpeg).subarray(0, -200)],
    ],
    [
      'has part headers that never end',
      () => [Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: ${'x'.repeat(20_000)}`)],
    ],
    ['is not a form', () => [Buffer.alloc(1_000, '-')]],
  ])('is refused when its body %s', async (_description, createBody) => {
    await expectErrorResponse(postForm(browser, createBody()), 400, 'validation_failed');
  });

  it('is accepted with two unknown fields, which are ignored', async () => {
    const unknownFields = [createFormField('toString', 'x'), createFormField('ownerId', '1')];
    const form = [...requiredFields, ...unknownFields, createFormFile('file', jpeg), FORM_END];
    await postForm(browser, form).expect(201);
    const rows = await api.database.dataSource.query('SELECT owner_id FROM uploads WHERE owner_id = $1', [
      userId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('is refused with a content type other than that of a form', async () => {
    const form = [...requiredFields, createFormFile('file', jpeg), FORM_END];
    for (const contentType of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/octet-stream',
      `multipart/mixed; boundary=${BOUNDARY}`,
      'multipart/form-data', // counts as a form only with a parameter
      'image/jpeg',
    ]) {
      await expectErrorResponse(postForm(browser, form, contentType), 415, 'unsupported_type');
    }
  });

  it('is refused without a boundary in its content type', async () => {
    const form = [...requiredFields, createFormFile('file', jpeg), FORM_END];
    const response = postForm(browser, form, 'multipart/form-data; charset=x');
    await expectErrorResponse(response, 400, 'validation_failed');
  });

  it('cannot be replaced by JSON or by an empty request', async () => {
    const jsonRequest = browser.post('/api/upload').send({ bucket: 'avatars' });
    await expectErrorResponse(jsonRequest, 415, 'unsupported_type');
    await expectErrorResponse(browser.post('/api/upload'), 415, 'unsupported_type');
  });

  it('is refused by other routes', async () => {
    const login = browser.post('/api/login').field('email', 'a@example.org').field('password', 'secret');
    await expectErrorResponse(login, 415, 'unsupported_type');
  });
});
