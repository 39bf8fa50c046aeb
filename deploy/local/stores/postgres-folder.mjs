import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Complaint } from '../complaint.mjs';
import { canEnter } from './postgres-user.mjs';

/**
 * The folder for PostgreSQL's data: `postgres` in the home. If the user that runs PostgreSQL cannot enter that (a checkout
 * under /root), a folder named after the home in /var/lib or in the system's temporary folder.
 * @throws {Complaint} when the user can enter none of them
 */
export function postgresFolder(home, user) {
  for (const candidate of candidates(home)) {
    try {
      // PostgreSQL's user must be able to pass through it; the data folder inside has mode 0700.
      fs.mkdirSync(candidate, { recursive: true });
      if (user.uid !== undefined) fs.chmodSync(candidate, 0o711);
    } catch {
      continue;
    }
    if (user.uid === undefined || canEnter(user, candidate)) return candidate;
    if (fs.readdirSync(candidate).length === 0) fs.rmdirSync(candidate);
  }
  throw new Complaint(
    `PostgreSQL cannot run as root, and the user it must run as can enter none of ${candidates(home).join(', ')}: ` +
      'run Thaw as an ordinary user, or give DATABASE_URL.',
  );
}

function candidates(home) {
  const name = `thaw-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;
  return [path.join(home, 'postgres'), path.join('/var/lib', name), path.join(os.tmpdir(), name)];
}
