// Uses the real file system and a server that implements the S3 protocol.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import { startFakeAws } from '../../testing/fake-aws.harness';
import { startTestS3, type TestS3 } from '../../testing/test-s3.harness';
import { createFileStorage } from './storage.module';
import type { FileAddress, FileStoragePort } from './file-storage.port';
import { LocalFileStorageAdapter } from './local-file-storage.adapter';
import { S3FileStorageAdapter, type S3Settings } from './s3-file-storage.adapter';

jest.setTimeout(60_000);

const JPEG = 'image/jpeg';

/** Temporary folder of all tests. */
let folder: string;
let s3: TestS3;

const createAddress = (key: string, bucket = 'chat-images'): FileAddress => ({ bucket, key });

const read = async (storage: FileStoragePort, address: FileAddress): Promise<Buffer | null> => {
  const file = await storage.open(address);
  if (!file) return null;
  const content = await buffer(file.content);
  expect(content.length).toBe(file.size);
  return content;
};

/** Calls `run` while these are the only environment variables from which the AWS SDK can take credentials. */
const withAwsVariables = async (
  variables: Record<string, string>,
  run: () => Promise<void>,
): Promise<void> => {
  const variablesBefore = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  const noFile = path.join(folder, 'no-such-file');
  Object.assign(process.env, { AWS_CONFIG_FILE: noFile, AWS_SHARED_CREDENTIALS_FILE: noFile, ...variables });
  try {
    await run();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in variablesBefore)) delete process.env[name];
    Object.assign(process.env, variablesBefore);
  }
};

beforeAll(async () => {
  Logger.overrideLogger(false);
  folder = await mkdtemp(path.join(tmpdir(), 'thaw-files-'));
  s3 = await startTestS3();
});

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const createS3Settings = (endpoint: string, overrides: Partial<S3Settings> = {}): S3Settings => ({
  endpoint,
  region: 'us-east-1',
  accessKeys: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }, // the only key that the test server knows
  bucketPrefix: '',
  buckets: ['avatars', 'chat-images', 'parallel'],
  ...overrides,
});

describe.each([
  ['a folder', () => new LocalFileStorageAdapter(path.join(folder, 'shared-tests'))],
  ['S3', () => new S3FileStorageAdapter(createS3Settings(s3.endpoint))],
])('a storage in %s', (_, createStorage) => {
  let storage: FileStoragePort;
  beforeAll(async () => {
    storage = createStorage();
    await storage.prepare();
  });
  afterAll(() => storage.close());

  it('returns exactly the stored bytes', async () => {
    const content = randomBytes(3 * 1024 * 1024 + 1);
    await storage.put(createAddress('a.jpg'), content, JPEG);
    expect((await read(storage, createAddress('a.jpg')))?.equals(content)).toBe(true);
  });

  it('stores an empty file', async () => {
    await storage.put(createAddress('empty.jpg'), Buffer.alloc(0), JPEG);
    expect(await read(storage, createAddress('empty.jpg'))).toEqual(Buffer.alloc(0));
  });

  it('separates files of different folders and buckets', async () => {
    await storage.put(createAddress('b.jpg'), Buffer.from('one'), JPEG);
    await storage.put(createAddress('private-chat/b.jpg'), Buffer.from('two'), JPEG);
    await storage.put(createAddress('b.jpg', 'avatars'), Buffer.from('three'), JPEG);
    expect(String(await read(storage, createAddress('b.jpg')))).toBe('one');
    expect(String(await read(storage, createAddress('private-chat/b.jpg')))).toBe('two');
    expect(String(await read(storage, createAddress('b.jpg', 'avatars')))).toBe('three');
  });

  it('replaces an existing file', async () => {
    await storage.put(createAddress('c.jpg'), Buffer.from('the first and longer one'), JPEG);
    await storage.put(createAddress('c.jpg'), Buffer.from('the second'), JPEG);
    expect(String(await read(storage, createAddress('c.jpg')))).toBe('the second');
  });

  it('returns null for a file that does not exist', async () => {
    await storage.put(createAddress('folder/file.jpg'), Buffer.from('x'), JPEG);
    expect(await storage.open(createAddress('nothing.jpg'))).toBeNull();
    // A key that is a folder, and a key below a file.
    expect(await storage.open(createAddress('folder'))).toBeNull();
    expect(await storage.open(createAddress('folder/file.jpg/a.jpg'))).toBeNull();
    expect(await storage.open(createAddress('nothing.jpg', 'no-such-bucket'))).toBeNull();
  });

  it('removes a file, and succeeds again when it no longer exists', async () => {
    await storage.put(createAddress('d.jpg'), Buffer.from('gone'), JPEG);
    await storage.remove(createAddress('d.jpg'));
    await storage.remove(createAddress('d.jpg'));
    await storage.remove(createAddress('d.jpg', 'no-such-bucket'));
    expect(await storage.open(createAddress('d.jpg'))).toBeNull();
  });

  it('stores many files concurrently without mixing their content', async () => {
    const files = Array.from({ length: 30 }, (_, index) => ({
      address: createAddress(`many/${index}.jpg`, 'parallel'),
      content: randomBytes(10_000 + index),
    }));
    await Promise.all(files.map(({ address, content }) => storage.put(address, content, JPEG)));
    for (const { address, content } of files) {
      expect((await read(storage, address))?.equals(content)).toBe(true);
    }
  });

  it('allows a reader to stop in the middle of a file', async () => {
    await storage.put(createAddress('e.jpg'), randomBytes(1024 * 1024), JPEG);
    const file = await storage.open(createAddress('e.jpg'));
    file?.content.on('error', () => undefined); // an early end may be reported as an error
    file?.content.destroy();
    expect((await read(storage, createAddress('e.jpg')))?.length).toBe(1024 * 1024);
  });

  it.each([
    // Keys that leave the bucket, or that a file system or URL may read as another key.
    ['../a.jpg', 'chat-images'],
    ['..', 'chat-images'],
    ['.', 'chat-images'],
    ['/etc/passwd', 'chat-images'],
    ['a/../../b.jpg', 'chat-images'],
    ['a//b.jpg', 'chat-images'],
    ['a\\b.jpg', 'chat-images'],
    ['a.jpg\u0000.png', 'chat-images'],
    ['a.jpg\n', 'chat-images'],
    ['%2e%2e/a.jpg', 'chat-images'],
    ['', 'chat-images'],
    // Buckets with the same faults, and the folder in which the local adapter writes unfinished files.
    ['a.jpg', '..'],
    ['a.jpg', '.unfinished'],
    ['a.jpg', 'chat..images'],
    ['a.jpg', 'chat-images/private-chat'],
    ['a.jpg', ''],
  ])('refuses the key %j in the bucket %j', (key, bucket) => {
    // Thrown by the call itself, not by its promise: such an address is a bug of the caller.
    const message = 'Not the address of a file';
    expect(() => storage.put({ bucket, key }, Buffer.alloc(1), JPEG)).toThrow(message);
    expect(() => storage.open({ bucket, key })).toThrow(message);
    expect(() => storage.remove({ bucket, key })).toThrow(message);
  });

  it('refuses to store a file with a key of more than 512 characters', () => {
    expect(() => storage.put(createAddress('a'.repeat(513)), Buffer.alloc(1), JPEG)).toThrow(
      'Not the address of a file',
    );
  });
});

describe('S3', () => {
  const createPrefixedStorage = (bucketPrefix: string, overrides: Partial<S3Settings> = {}) =>
    new S3FileStorageAdapter(createS3Settings(s3.endpoint, { bucketPrefix, ...overrides }));

  it('creates its buckets when several processes call `prepare` concurrently', async () => {
    const storages = [1, 2, 3].map(() => createPrefixedStorage('concurrent-'));
    await Promise.all(storages.map((storage) => storage.prepare()));
    for (const [index, storage] of storages.entries()) {
      await storage.check();
      await storage.put(createAddress(`${index}.jpg`), Buffer.from('x'), JPEG);
      expect(await read(storage, createAddress(`${index}.jpg`))).not.toBeNull();
      await storage.close();
    }
  });

  it('separates files of different bucket prefixes', async () => {
    const [one, two] = [createPrefixedStorage('one-'), createPrefixedStorage('two-')];
    await Promise.all([one.prepare(), two.prepare()]);
    await one.put(createAddress('a.jpg'), Buffer.from('one'), JPEG);
    expect(await two.open(createAddress('a.jpg'))).toBeNull();
    expect(String(await read(one, createAddress('a.jpg')))).toBe('one');
    await Promise.all([one.close(), two.close()]);
  });

  it('rejects `put` and the check at process start if a bucket is missing, instead of creating it', async () => {
    const storage = createPrefixedStorage('missing-');
    await expect(storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(storage.check()).rejects.toThrow('missing-avatars is missing');
    await storage.close();
  });

  it('names the setting to change, in `prepare` and in `check`, when a bucket belongs to another account', async () => {
    const foreignS3 = createServer((_, response) => response.writeHead(403).end());
    await once(foreignS3.listen(0, '127.0.0.1'), 'listening');
    const { port } = foreignS3.address() as AddressInfo;
    const storage = new S3FileStorageAdapter(createS3Settings(`http://127.0.0.1:${port}`));
    await expect(storage.prepare()).rejects.toThrow('S3_BUCKET_PREFIX');
    await expect(storage.check()).rejects.toThrow('S3_BUCKET_PREFIX');
    await storage.close();
    foreignS3.closeAllConnections();
    await new Promise((resolve) => foreignS3.close(resolve));
  });

  it('uses the credentials of environment variables when no keys are given', async () => {
    await withAwsVariables({ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }, async () => {
      const storage = createPrefixedStorage('from-environment-', { accessKeys: undefined });
      await storage.prepare();
      await storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG);
      expect(await read(storage, createAddress('a.jpg'))).not.toBeNull();
      await storage.close();
    });
  });

  it.each([
    {
      roleOwner: 'container',
      createVariables: (origin: string) => ({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/role`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'token of the container',
      }),
      requests: ['GET /role token of the container'],
    },
    {
      roleOwner: 'machine',
      createVariables: (origin: string) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: origin }),
      // Version 2 of the metadata service of EC2: a token, the name of the role, and its credentials.
      requests: [
        'PUT /latest/api/token',
        'GET /latest/meta-data/iam/security-credentials/',
        'GET /latest/meta-data/iam/security-credentials/thaw',
      ],
    },
  ])(
    'uses the role of the $roleOwner when there are no keys at all',
    async ({ createVariables, requests }) => {
      const aws = await startFakeAws();
      await withAwsVariables(createVariables(aws.origin), async () => {
        const storage = new S3FileStorageAdapter(createS3Settings(aws.origin, { accessKeys: undefined }));
        await storage.check();
        await storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG);
        await storage.close();
      });
      await aws.close();
      expect(aws.roleRequests).toEqual(requests);
      expect(aws.s3RequestCredentials).toHaveLength(4); // `check` of three buckets, and `put`
      expect(new Set(aws.s3RequestCredentials)).toEqual(new Set(['ROLEKEY, a session token']));
    },
  );

  it('throws unavailable while the server does not respond, but passes the check at process start', async () => {
    const stopped = await startTestS3();
    const storage = new S3FileStorageAdapter(createS3Settings(stopped.endpoint));
    await stopped.close();
    await storage.check(); // a process may start without its storage
    await expect(storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(storage.open(createAddress('a.jpg'))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(storage.remove(createAddress('a.jpg'))).rejects.toMatchObject({ code: 'unavailable' });
    await storage.close();
  });
});

describe('createFileStorage', () => {
  it('stores in S3 only when an endpoint or a bucket prefix is set, otherwise in a folder', async () => {
    const settings = { S3_REGION: 'us-east-1', STORAGE_DIR: folder };
    const storages = [
      createFileStorage({ ...settings, ...s3.settings }), // an endpoint and both keys
      createFileStorage({ ...settings, S3_ENDPOINT: s3.endpoint }),
      createFileStorage({ ...settings, S3_BUCKET_PREFIX: 'thaw-' }),
    ];
    for (const storage of storages) {
      expect(storage).toBeInstanceOf(S3FileStorageAdapter);
      await storage.close();
    }
    expect(createFileStorage(settings)).toBeInstanceOf(LocalFileStorageAdapter);
  });

  it('requires both keys of S3 or none', () => {
    const settings = { S3_REGION: 'us-east-1', STORAGE_DIR: folder, ...s3.settings };
    expect(() => createFileStorage({ ...settings, S3_SECRET_ACCESS_KEY: undefined })).toThrow(
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are given both or not at all',
    );
  });
});

describe('a folder', () => {
  it('is not created when a file is read', async () => {
    const untouched = path.join(folder, 'untouched');
    const storage: FileStoragePort = new LocalFileStorageAdapter(untouched);
    expect(await storage.open(createAddress('a.jpg'))).toBeNull();
    await expect(stat(untouched)).rejects.toThrow('ENOENT');
  });

  it('loses, at the first `put`, unfinished files that are more than an hour old', async () => {
    const root = path.join(folder, 'killed');
    // A killed process leaves its unfinished files here.
    const unfinished = path.join(root, '.unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(path.join(unfinished, 'old'), 'half of an ima');
    await writeFile(path.join(unfinished, 'new'), 'half of another');
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
    await utimes(path.join(unfinished, 'old'), twoHoursAgo, twoHoursAgo);

    const storage: FileStoragePort = new LocalFileStorageAdapter(root);
    await storage.put(createAddress('a.jpg'), Buffer.from('whole'), JPEG);
    expect(await readdir(unfinished)).toEqual(['new']);
    expect(await readdir(path.join(root, 'chat-images'))).toEqual(['a.jpg']);
  });

  it('contains files that only their owner can read', async () => {
    const root = path.join(folder, 'modes');
    const storage: FileStoragePort = new LocalFileStorageAdapter(root);
    await storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG);
    const { mode } = await stat(path.join(root, 'chat-images', 'a.jpg'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('causes unavailable errors while it cannot be created, and works afterwards', async () => {
    const root = path.join(folder, 'blocked');
    await writeFile(root, 'a file where the folder should be');
    const storage: FileStoragePort = new LocalFileStorageAdapter(root);
    await expect(storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await rm(root);
    await storage.put(createAddress('a.jpg'), Buffer.from('x'), JPEG);
    expect(String(await read(storage, createAddress('a.jpg')))).toBe('x');
  });
});
