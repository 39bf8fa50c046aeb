import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const OWNER_ONLY = 0o400;
/** For files whose readers run as different users. Only these readers mount the volume. */
const WORLD_READABLE = 0o444;

/**
 * Generates the secrets on the first start, and copies to each group of services the secrets that it needs. Existing
 * secrets are kept; the copies are rewritten on every start.
 * @param {string} root  contains a folder `kept` with the secrets, and one folder of copies for each group, such as
 *   `stores` for the services that connect to the stores. Each of these folders is a volume
 * @param {string} profiles  the value of COMPOSE_PROFILES
 */
export function generateSecrets(root, profiles) {
  const secrets = readOrCreateSecrets(path.join(root, 'kept'));
  for (const [name, text] of Object.entries(createCopies(secrets, profiles)))
    write(path.join(root, name), text, WORLD_READABLE);
}

function readOrCreateSecrets(folder) {
  const readOrCreate = (name, create = createRandomText) => {
    const file = path.join(folder, name);
    if (!fs.existsSync(file)) write(file, create(), OWNER_ONLY);
    return fs.readFileSync(file, 'utf8');
  };
  return {
    superuserPassword: readOrCreate('superuser-password'),
    databasePassword: readOrCreate('database-password'),
    redisPassword: readOrCreate('redis-password'),
    sessionSecret: readOrCreate('session-secret'),
    safetySecret: readOrCreate('safety-secret'),
    receiptKey: readOrCreate('receipt-key', createSigningKey),
    s3AccessKeyId: readOrCreate('s3-access-key-id'),
    s3SecretAccessKey: readOrCreate('s3-secret-access-key'),
  };
}

/** @returns the texts of the copies by their paths, which begin with the group of services that reads them */
const createCopies = (secrets, profiles) => ({
  'postgres/superuser-password': secrets.superuserPassword,
  'postgres/database-password': secrets.databasePassword,
  'redis/users.acl': formatAccessList(secrets.redisPassword),
  // Migrations run as the owner of the tables; the role of the running service may only use them.
  'migrate/database-url': `postgres://postgres:${secrets.superuserPassword}@postgres:5432/thaw`,
  'stores/database-url': `postgres://thaw:${secrets.databasePassword}@postgres:5432/thaw`,
  'stores/redis-url': `redis://thaw:${secrets.redisPassword}@redis:6379`,
  // The worker signs receipts of erasures with this key; the replicas serve its public key.
  'stores/receipt-key': secrets.receiptKey,
  'stores/s3-access-key-id': secrets.s3AccessKeyId,
  'stores/s3-secret-access-key': secrets.s3SecretAccessKey,
  // Without the profile `storage`, the endpoint is empty and images are stored in a volume. The name contains the
  // profiles, so that compose recreates the containers when the profiles change.
  [`stores/s3-endpoint.${profiles}`]: profiles.split(',').includes('storage') ? 'http://storage:7070' : '',
  'api/session-secret': secrets.sessionSecret,
  'api/safety-secret': secrets.safetySecret,
  'storage/access-key-id': secrets.s3AccessKeyId,
  'storage/secret-access-key': secrets.s3SecretAccessKey,
});

const createRandomText = () => randomBytes(32).toString('base64url');

/** @returns a new Ed25519 key in PKCS#8, as PEM */
const createSigningKey = () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Formats the ACL file of Redis. Clients without the password may only PING, which the health check sends. */
const formatAccessList = (password) =>
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
  fs.rmSync(unfinished, { force: true }); // left by a crash, and read-only
  fs.writeFileSync(unfinished, text, { mode, flush: true });
  fs.chmodSync(unfinished, mode);
  fs.renameSync(unfinished, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  generateSecrets('/secrets', process.env.COMPOSE_PROFILES ?? '');
  console.log('The secrets are in place.');
}
