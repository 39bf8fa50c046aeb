import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
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

/** A folder that only the user who starts Thaw may enter, made if it is missing. */
export function privateFolder(...parts) {
  const made = folder(...parts);
  fs.chmodSync(made, 0o700);
  return made;
}

/**
 * The home of a stack, made if it is missing. For root, other users may pass through it but not list it: PostgreSQL
 * runs as one of them. What lies in it is private by itself.
 */
export function homeFolder(home) {
  folder(home);
  const user = process.getuid?.();
  if (user === fs.statSync(home).uid) fs.chmodSync(home, user === 0 ? 0o711 : 0o700);
  return home;
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
