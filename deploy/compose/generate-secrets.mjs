import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Generates the secrets on the first start and copies to each service the secrets that it needs. Existing secrets are
 * kept; the copies are rewritten on every start.
 * @param {string} root  folder that contains `kept` (the secrets) and a folder of copies for each group of readers, for
 *   example `stores` for the services that connect to the stores; each folder is a separate volume
 * @param {string} profiles  the value of COMPOSE_PROFILES. The name of the copy `s3-endpoint` contains it, so that
 *   compose recreates the containers when the profiles change
 */
export function generateSecrets(root, profiles) {
  const readOrCreate = (name, create = () => randomBytes(32).toString('base64url')) => {
    const file = path.join(root, 'kept', name);
    if (!fs.existsSync(file)) write(file, create(), 0o400);
    return fs.readFileSync(file, 'utf8');
  };
  // World-readable, because the readers run as different users. Only they mount the volume.
  const writeForReader = (reader, name, text) => write(path.join(root, reader, name), text, 0o444);

  const databasePassword = readOrCreate('database-password');
  const redisPassword = readOrCreate('redis-password');

  writeForReader('postgres', 'superuser-password', readOrCreate('superuser-password'));
  writeForReader('postgres', 'database-password', databasePassword);
  writeForReader('redis', 'users.acl', createAccessList(redisPassword));
  writeForReader('stores', 'database-url', `postgres://thaw:${databasePassword}@postgres:5432/thaw`);
  // Migrations run as the owner of the tables; the role of the running service may only use them.
  writeForReader(
    'migrate',
    'database-url',
    `postgres://postgres:${readOrCreate('superuser-password')}@postgres:5432/thaw`,
  );
  writeForReader('stores', 'redis-url', `redis://thaw:${redisPassword}@redis:6379`);
  writeForReader('api', 'session-secret', readOrCreate('session-secret'));
  writeForReader('api', 'safety-secret', readOrCreate('safety-secret'));
  // The worker signs receipts of erasures with this key; the replicas serve its public key.
  writeForReader('stores', 'receipt-key', readOrCreate('receipt-key', createSigningKey));

  const storageKeys = {
    accessKey: readOrCreate('s3-access-key-id'),
    secretKey: readOrCreate('s3-secret-access-key'),
  };
  writeForReader('stores', 's3-access-key-id', storageKeys.accessKey);
  writeForReader('stores', 's3-secret-access-key', storageKeys.secretKey);
  // Without the profile `storage`, the endpoint is empty and images are stored in a volume.
  const endpoint = profiles.split(',').includes('storage') ? 'http://storage:7070' : '';
  writeForReader('stores', `s3-endpoint.${profiles}`, endpoint);
  writeForReader('storage', 'access-key-id', storageKeys.accessKey);
  writeForReader('storage', 'secret-access-key', storageKeys.secretKey);
}

/** @returns a new Ed25519 key in PKCS#8, as PEM */
function createSigningKey() {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Formats the ACL file of Redis. Clients without the password may only PING, which the health check sends. */
const createAccessList = (password) =>
  `user default on nopass resetkeys resetchannels -@all +ping\n${formatUser('thaw', password)}\n`;

/**
 * Formats the ACL rule of the product's user, who may send all commands except administrative and dangerous ones.
 * BGREWRITEAOF is allowed because it removes deleted data from the append-only file.
 */
export function formatUser(name, password) {
  const hash = createHash('sha256').update(password).digest('hex');
  return `user ${name} on #${hash} ~* &* +@all -@admin -@dangerous +info +client|list +bgrewriteaof`;
}

/** Writes the file atomically. `flush` puts the content on the disk before the rename, in case the machine crashes. */
function write(file, text, mode) {
  const unfinished = `${file}.new`;
  fs.rmSync(unfinished, { force: true });
  fs.writeFileSync(unfinished, text, { mode, flush: true });
  fs.chmodSync(unfinished, mode);
  fs.renameSync(unfinished, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  generateSecrets('/secrets', process.env.COMPOSE_PROFILES ?? '');
  console.log('The secrets are in place.');
}
