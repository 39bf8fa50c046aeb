import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';

/** The uid and gid of the unprivileged user (`nobody`) on common Unix systems. */
const UNPRIVILEGED_ID = 65_534;

/**
 * Finds the user that runs PostgreSQL: normally the launcher's own. PostgreSQL refuses to run as root, so for root it
 * is the user `postgres`, or an unprivileged one if `postgres` does not exist.
 * @returns {{uid?: number, gid?: number}} empty for the launcher's own user
 */
export function findPostgresUser() {
  if (process.getuid?.() !== 0) return {};
  return readPasswdEntry('postgres') ?? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID };
}

/** Whether this user can enter the folder. @param {{uid?: number, gid?: number}} user */
export function canEnter(user, folder) {
  // Every user can enter `/`, but not necessarily the launcher's current folder.
  const options = { ...user, cwd: '/', stdio: 'ignore' };
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], options).status === 0;
}

function readPasswdEntry(name) {
  try {
    const line = fs
      .readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    return uid && { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}
