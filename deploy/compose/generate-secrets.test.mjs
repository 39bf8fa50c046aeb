import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { generateSecrets } from './generate-secrets.mjs';

const MIN_SECRET_LENGTH = 32;
/** The volumes from which services read their secrets. `stores` is for the clients of PostgreSQL, Redis and S3. */
const READER_VOLUMES = ['postgres', 'redis', 'stores', 'migrate', 'api', 'storage'];
/** The value of COMPOSE_PROFILES without profiles. */
const NO_PROFILES = '';

/** @returns the root of new, empty volumes, and functions that read them */
function createVolumes(t) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-secrets-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  // `kept` holds the originals, the other volumes hold copies.
  for (const volume of ['kept', ...READER_VOLUMES]) fs.mkdirSync(path.join(root, volume));
  const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
  const listCopies = () =>
    READER_VOLUMES.flatMap((volume) =>
      fs.readdirSync(path.join(root, volume)).map((name) => `${volume}/${name}`),
    );
  const readCopies = () => listCopies().map((name) => [name, read(name)]);
  return { root, read, listCopies, readCopies };
}

test('each volume gets only the secrets that its readers need', (t) => {
  const { root, listCopies } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  assert.deepEqual(listCopies().sort(), [
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
    'stores/s3-endpoint.', // the profiles follow the full stop
    'stores/s3-secret-access-key',
  ]);
});

test('migrations connect to PostgreSQL as the superuser, and the other services as `thaw`', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  const databasePassword = read('postgres/database-password');
  assert.equal(read('stores/database-url'), `postgres://thaw:${databasePassword}@postgres:5432/thaw`);
  const superuserPassword = read('postgres/superuser-password');
  assert.equal(read('migrate/database-url'), `postgres://postgres:${superuserPassword}@postgres:5432/thaw`);
  assert.notEqual(superuserPassword, databasePassword);
});

test('the two secrets of the api are long and differ', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  assert.ok(read('api/session-secret').length >= MIN_SECRET_LENGTH);
  assert.ok(read('api/safety-secret').length >= MIN_SECRET_LENGTH);
  assert.notEqual(read('api/safety-secret'), read('api/session-secret'));
});

test('the receipt key is a private key', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  assert.match(read('stores/receipt-key'), /^-----BEGIN PRIVATE KEY-----/);
});

test('Redis has only a hash of its password, and refuses dangerous commands except BGREWRITEAOF', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  const redisPassword = new URL(read('stores/redis-url')).password;
  assert.ok(redisPassword.length >= MIN_SECRET_LENGTH);
  assert.ok(!read('redis/users.acl').includes(redisPassword));
  // BGREWRITEAOF is needed to remove deleted data from the append-only file.
  assert.match(read('redis/users.acl'), /^user thaw .* -@dangerous .*\+bgrewriteaof$/m);
});

test('the S3 server and its clients have the same access key', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  assert.equal(read('storage/access-key-id'), read('stores/s3-access-key-id'));
  assert.equal(read('storage/secret-access-key'), read('stores/s3-secret-access-key'));
  assert.ok(read('storage/secret-access-key').length >= MIN_SECRET_LENGTH);
});

test('the originals of the secrets, in `kept`, may be read only by their owner', (t) => {
  const { root } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  for (const name of fs.readdirSync(path.join(root, 'kept'))) {
    assert.equal(fs.statSync(path.join(root, 'kept', name)).mode & 0o777, 0o400);
  }
});

test('a second run writes a missing file again, with the same secrets', (t) => {
  const { root, readCopies } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  const firstCopies = readCopies();
  fs.rmSync(path.join(root, 'stores/redis-url'));
  generateSecrets(root, NO_PROFILES);
  assert.deepEqual(readCopies(), firstCopies);
});

test('images are stored in S3 only with the profile `storage`', (t) => {
  const { root, read } = createVolumes(t);
  generateSecrets(root, NO_PROFILES);
  assert.equal(read('stores/s3-endpoint.'), '');
  generateSecrets(root, 'observability');
  assert.equal(read('stores/s3-endpoint.observability'), '');
  generateSecrets(root, 'observability,storage');
  assert.equal(read('stores/s3-endpoint.observability,storage'), 'http://storage:7070');
});
