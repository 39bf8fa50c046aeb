import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Where the local stack keeps its data between runs; ignored by git. */
export const localHome = path.join(repository, '.thaw');

/** A file of the checkout. */
export const inRepository = (...parts) => path.join(repository, ...parts);

/** A folder, made if it is missing. */
export function folder(...parts) {
  const made = path.join(...parts);
  fs.mkdirSync(made, { recursive: true });
  return made;
}

/** A secret that lives in a file of mode 0600 under the home, generated at first use. */
export function secret(home, name, bytes = 24) {
  const file = secretFile(home, name);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, randomBytes(bytes).toString('base64url') + '\n', { mode: 0o600 });
  }
  return fs.readFileSync(file, 'utf8').trim();
}

/** Where `secret` keeps it. */
export const secretFile = (home, name) => path.join(home, 'secrets', name);
