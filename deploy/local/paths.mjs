import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The root folder of the checkout. */
const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The default home folder: data, logs and secrets of the local stack, kept between runs. Ignored by git. */
export const localHome = path.join(repository, '.thaw');

/** The absolute path of a file of the checkout. */
export const resolveInRepository = (...parts) => path.join(repository, ...parts);

/** Joins the parts to a path and creates that folder if it is missing. */
export function ensureFolder(...parts) {
  const folder = path.join(...parts);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

/** Like `ensureFolder`, but only its owner can access the folder. */
export function ensurePrivateFolder(...parts) {
  const folder = ensureFolder(...parts);
  fs.chmodSync(folder, 0o700);
  return folder;
}

/**
 * Creates the home folder of a local stack if it is missing, accessible only to its owner. Exception: the home folder
 * of root can be traversed by others, because PostgreSQL then runs as another user, who has to reach its data. The
 * modes of the inner folders protect the data.
 * @returns the home folder
 */
export function ensureHome(home) {
  ensureFolder(home);
  const user = process.getuid?.();
  // Only the owner of a folder may change its mode.
  if (user === fs.statSync(home).uid) fs.chmodSync(home, user === 0 ? 0o711 : 0o700);
  return home;
}

/**
 * Reads a secret from a file under the home folder, or generates it if the file is missing. Only its owner can access
 * the file.
 * @param {string} home
 * @param {string} name  name of the file
 * @param {number} bytes  length of a generated secret before base64url encoding
 */
export function readOrCreateSecret(home, name, bytes = 24) {
  return readOrCreate(getSecretPath(home, name), () => randomBytes(bytes).toString('base64url') + '\n');
}

/** Like `readOrCreateSecret`, for an Ed25519 private key in PKCS#8 format, encoded as PEM. */
export function readOrCreateSigningKey(home, name) {
  return readOrCreate(getSecretPath(home, name), () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}

function readOrCreate(file, generate) {
  if (!fs.existsSync(file)) {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, generate(), { mode: 0o600 });
  }
  return fs.readFileSync(file, 'utf8').trim();
}

/** The path of the file that holds a secret or a signing key. */
export const getSecretPath = (home, name) => path.join(home, 'secrets', name);
