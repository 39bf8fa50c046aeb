import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LauncherError } from '../launcher-error.mjs';
import { canEnter, findPostgresUser } from './postgres-user.mjs';

/**
 * Creates the folder for PostgreSQL's data if it is missing, and returns its path: `postgres` in the home folder. The
 * user as which PostgreSQL runs may be unable to enter the home folder, for example in a checkout under /root. Then the
 * folder is in /var/lib or in the system's temporary folder, named after a hash of the path of the home folder.
 * @param {string} home  the home folder: data, logs and secrets of the local stack
 * @param {{uid?: number, gid?: number}} user  without `uid`, the launcher's own user
 * @throws {LauncherError} when the user can enter none of these folders
 */
export function ensurePostgresFolder(home, user = findPostgresUser()) {
  for (const candidate of listCandidateFolders(home)) {
    try {
      // PostgreSQL's user must be able to pass through the folder; the data folder inside has mode 0700.
      fs.mkdirSync(candidate, { recursive: true });
      if (user.uid !== undefined) fs.chmodSync(candidate, 0o711);
    } catch {
      // The launcher cannot create the folder or change its mode.
      continue;
    }
    if (user.uid === undefined || canEnter(user, candidate)) return candidate;
    // Remove the folder that was created only for this check.
    if (fs.readdirSync(candidate).length === 0) fs.rmdirSync(candidate);
  }
  throw new LauncherError(
    `PostgreSQL cannot run as root, and the user it must run as can enter none of ${listCandidateFolders(home).join(', ')}: ` +
      'run Thaw as an ordinary user, or set DATABASE_URL.',
  );
}

function listCandidateFolders(home) {
  const name = `thaw-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;
  return [path.join(home, 'postgres'), path.join('/var/lib', name), path.join(os.tmpdir(), name)];
}
