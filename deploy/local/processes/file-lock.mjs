import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { identify, isRunning } from './process-identity.mjs';

const TIMEOUT_MS = 300_000;
const POLL_INTERVAL_MS = 50;
/** An unreadable lock file may still be incomplete until this age. An older one was left by a process that died. */
const MAX_WRITING_MS = 5_000;

/**
 * Runs `work` while holding a lock file, so that launchers exclude each other. The lock file contains the identity of
 * the process that holds the lock. The lock of a process that no longer runs is free.
 * @param {string} lockFile
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of `work`
 * @throws {LauncherError} when the lock is not released within 5 minutes
 * @template T
 */
export async function withFileLock(lockFile, work) {
  fs.mkdirSync(path.dirname(lockFile), { recursive: true });
  const deadline = Date.now() + TIMEOUT_MS;
  while (!tryAcquire(lockFile)) {
    if (Date.now() > deadline) throw new LauncherError(`Another launcher still holds the lock ${lockFile}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  try {
    return await work();
  } finally {
    fs.rmSync(lockFile, { force: true });
  }
}

function tryAcquire(lockFile) {
  try {
    fs.writeFileSync(lockFile, JSON.stringify(identify(process.pid)), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // Only deletes the file: the next attempt, of this launcher or another one, acquires the lock.
    if (isAbandoned(lockFile)) fs.rmSync(lockFile, { force: true });
    return false;
  }
}

function isAbandoned(lockFile) {
  const holder = readHolder(lockFile);
  if (holder !== undefined) return !isRunning(holder);
  // The holder may still be writing the file, or may have deleted it in the meantime.
  const writtenAt = fs.statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs;
  return writtenAt !== undefined && Date.now() - writtenAt > MAX_WRITING_MS;
}

/** Reads the identity of the holder; undefined if the file is missing or unreadable. */
function readHolder(lockFile) {
  try {
    return JSON.parse(fs.readFileSync(lockFile, 'utf8'));
  } catch {
    return undefined;
  }
}
