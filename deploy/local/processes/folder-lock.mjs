import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Complaint } from '../complaint.mjs';
import { identify, isRunning } from './process-identity.mjs';

const PATIENCE_MS = 300_000;

/**
 * Runs `work` while holding a lock file, so that launchers exclude each other. A lock whose holder no longer runs is
 * free, since a launcher may be killed at any point.
 * @param {string} lockFile
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of `work`
 * @throws {Complaint} when the lock is not released within 5 minutes
 * @template T
 */
export async function underLock(lockFile, work) {
  fs.mkdirSync(path.dirname(lockFile), { recursive: true });
  const deadline = Date.now() + PATIENCE_MS;
  while (!take(lockFile)) {
    if (Date.now() > deadline) throw new Complaint(`Another launcher does not let go of ${lockFile}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  try {
    return await work();
  } finally {
    fs.rmSync(lockFile, { force: true });
  }
}

function take(lockFile) {
  try {
    fs.writeFileSync(lockFile, JSON.stringify(identify(process.pid)), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned(lockFile)) fs.rmSync(lockFile, { force: true });
    return false;
  }
}

function isAbandoned(lockFile) {
  try {
    const holder = JSON.parse(fs.readFileSync(lockFile, 'utf8'));
    return !isRunning(holder);
  } catch {
    // The file is being written or removed right now, unless it is old: then its writer died in between.
    return Date.now() - (fs.statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 5_000;
  }
}
