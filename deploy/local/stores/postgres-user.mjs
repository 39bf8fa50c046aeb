import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';

// The numbers that every Unix gives to "nobody" and that own nothing.
const NOBODY = 65_534;

/**
 * Who runs PostgreSQL, which refuses to be root: whoever started the launcher, or, for root, the user `postgres`
 * if there is one, else nobody. Undefined numbers mean: as the launcher itself.
 * @returns {{uid?: number, gid?: number}}
 */
export function postgresUser() {
  if (process.getuid?.() !== 0) return {};
  const entry = passwdEntry('postgres');
  return entry ?? { uid: NOBODY, gid: NOBODY };
}

/** Whether this user can enter the folder and execute or read what lies in it. */
export function canEnter(user, folder) {
  const options = { ...user, cwd: '/', stdio: 'ignore' };
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], options).status === 0;
}

function passwdEntry(name) {
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
