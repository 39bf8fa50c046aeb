import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Generates at the first start what nobody else shall know, and hands to each service what it needs. What was
 * generated stays; the copies are written anew each time.
 * @param {string} root  holds a folder for what is kept and one for each group of readers, each a volume of its own
 */
export function generateSecrets(root) {
  const kept = (name) => {
    const file = path.join(root, 'kept', name);
    if (!fs.existsSync(file)) write(file, randomBytes(32).toString('base64url'), 0o400);
    return fs.readFileSync(file, 'utf8');
  };
  // Only its readers have the volume in sight, each under another user, so there a file may be read by all.
  const hand = (reader, name, text) => write(path.join(root, reader, name), text, 0o444);

  const databasePassword = kept('database-password');
  const redisPassword = kept('redis-password');

  hand('postgres', 'superuser-password', kept('superuser-password'));
  hand('postgres', 'database-password', databasePassword);
  hand('redis', 'users.acl', accessList(redisPassword));
  hand('stores', 'database-url', `postgres://thaw:${databasePassword}@postgres:5432/thaw`);
  // Migrations own the tables; the service's role may only use them.
  hand('migrate', 'database-url', `postgres://postgres:${kept('superuser-password')}@postgres:5432/thaw`);
  hand('stores', 'redis-url', `redis://thaw:${redisPassword}@redis:6379`);
  hand('api', 'session-secret', kept('session-secret'));

  const storageKeys = { accessKey: kept('s3-access-key-id'), secretKey: kept('s3-secret-access-key') };
  hand('stores', 's3-access-key-id', storageKeys.accessKey);
  hand('stores', 's3-secret-access-key', storageKeys.secretKey);
  hand('storage', 's3.json', storageConfiguration(storageKeys));
}

/** The one identity that the storage knows; nobody else may do anything. */
function storageConfiguration(keys) {
  const actions = ['Admin', 'Read', 'Write', 'List'];
  return `${JSON.stringify({ identities: [{ name: 'thaw', credentials: [keys], actions }] })}\n`;
}

/** Without a password there is nothing but the health check's PING; with it, all but what administers Redis. */
function accessList(password) {
  const hash = createHash('sha256').update(password).digest('hex');
  return [
    'user default on nopass resetkeys resetchannels -@all +ping',
    `user thaw on #${hash} ~* &* +@all -@admin -@dangerous +info +client|list`,
    '',
  ].join('\n');
}

/** Whole or not at all, also when the machine goes down meanwhile. */
function write(file, text, mode) {
  const unfinished = `${file}.new`;
  fs.rmSync(unfinished, { force: true });
  fs.writeFileSync(unfinished, text, { mode, flush: true });
  fs.chmodSync(unfinished, mode);
  fs.renameSync(unfinished, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  generateSecrets('/secrets');
  console.log('The secrets are in place.');
}
