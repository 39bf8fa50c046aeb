import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { generateSecrets } from './generate-secrets.mjs';

const MIN_SECRET_LENGTH = 32;
/** Groups of services, each of which reads one volume. `stores`: the services that use PostgreSQL, Redis and S3. */
const READERS = ['postgres', 'redis', 'stores', 'migrate', 'api', 'storage'];

/** @returns the root of new, empty volumes, and functions that read them */
function createVolumes(t) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-secrets-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  for (const folder of ['kept', ...READERS]) fs.mkdirSync(path.join(root, folder));
  const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
  const listWrittenFiles = () =>
    READERS.flatMap((reader) => fs.readdirSync(path.join(root, reader)).map((name) => `${reader}/${name}`));
  return { root, read, listWrittenFiles };
}

test('each group of services gets only the secrets it needs', (t) => {
  const { root, read, listWrittenFiles } = createVolumes(t);
  // The second argument is the list of compose profiles. The file name `s3-endpoint.` ends with this empty list.
  generateSecrets(root, '');
  assert.deepEqual(listWrittenFiles().sort(), [
    'api/safety-secret',
    'api/session-secret',
    'migrate/database-url',
    'postgres/database-password',
    'postgres/superuser-password',
    'redis/users.acl',
    'storage/access-key-id',
    'storage/secret-access-key',
    'stores/database-url',
    'stores/receipt-key',
    'stores/redis-url',
    'stores/s3-access-key-id',
    'stores/s3-endpoint.',
    'stores/s3-secret-access-key',
  ]);

  const databasePassword = read('postgres/database-password');
  assert.equal(read('stores/database-url'), `postgres://thaw:${databasePassword}@postgres:5432/thaw`);
  const superuserPassword = read('postgres/superuser-password');
  assert.equal(read('migrate/database-url'), `postgres://postgres:${superuserPassword}@postgres:5432/thaw`);
  assert.notEqual(superuserPassword, databasePassword);
  assert.ok(read('api/session-secret').length >= MIN_SECRET_LENGTH);
  assert.ok(read('api/safety-secret').length >= MIN_SECRET_LENGTH);
  assert.notEqual(read('api/safety-secret'), read('api/session-secret'));
  assert.match(read('stores/receipt-key'), /^-----BEGIN PRIVATE KEY-----/);
  const redisPassword = new URL(read('stores/redis-url')).password;
  assert.ok(redisPassword.length >= MIN_SECRET_LENGTH);
  assert.ok(!read('redis/users.acl').includes(redisPassword), 'Redis knows only a hash of its password');
  // BGREWRITEAOF is a dangerous command, but it is needed to remove deleted data from the append-only file.
  assert.match(read('redis/users.acl'), /^user thaw .* -@dangerous .*\+bgrewriteaof$/m);
  assert.equal(read('storage/access-key-id'), read('stores/s3-access-key-id'));
  assert.equal(read('storage/secret-access-key'), read('stores/s3-secret-access-key'));
  assert.ok(read('storage/secret-access-key').length >= MIN_SECRET_LENGTH);
});

test('the originals of the secrets, in `kept`, may be read only by their owner', (t) => {
  const { root } = createVolumes(t);
  generateSecrets(root, '');
  for (const name of fs.readdirSync(path.join(root, 'kept'))) {
    assert.equal(fs.statSync(path.join(root, 'kept', name)).mode & 0o777, 0o400);
  }
});

test('a second run writes a missing file again, with the same secrets', (t) => {
  const { root, read, listWrittenFiles } = createVolumes(t);
  generateSecrets(root, '');
  const firstFiles = listWrittenFiles().map((name) => [name, read(name)]);
  fs.rmSync(path.join(root, 'stores/redis-url'));
  generateSecrets(root, '');
  assert.deepEqual(
    listWrittenFiles().map((name) => [name, read(name)]),
    firstFiles,
  );
});

test('images are stored in S3 only with the profile `storage`', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, '');
  assert.equal(read('stores/s3-endpoint.'), '');
  generateSecrets(root, 'observability');
  assert.equal(read('stores/s3-endpoint.observability'), '');
  generateSecrets(root, 'observability,storage');
  assert.equal(read('stores/s3-endpoint.observability,storage'), 'http://storage:7070');
});
