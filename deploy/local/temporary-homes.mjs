import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder, ensureHome } from './paths.mjs';
import { endOrphanedProcesses } from './processes/managed-process.mjs';
import { identify, isRunning } from './processes/process-identity.mjs';
import { deleteHome, endAbandonedStores } from './stores/stores.mjs';

// Temporary home folders of tests. A home folder holds the data, logs and secrets of a local stack.

const NAME_PREFIX = 'thaw-home-';

/**
 * Creates a home folder for this process. Once the process has ended, a sweep may delete the folder.
 * @param {string} parent  the folder that gets the new home. By default THAW_HOME, the home of a test run, which is
 *   deleted with all homes in it; without THAW_HOME, the system's folder for temporary files
 */
export function makeTemporaryHome(parent = process.env.THAW_HOME || os.tmpdir()) {
  const home = fs.mkdtempSync(path.join(ensureFolder(parent), NAME_PREFIX));
  ensureHome(home);
  fs.writeFileSync(getOwnerPath(home), JSON.stringify(identify(process.pid)));
  return home;
}

/**
 * Ends the processes of temporary homes whose owner was killed before it could delete them, and deletes these homes.
 * @param {string} parent  the folder with the homes; by default the system's folder for temporary files
 */
export async function sweepTemporaryHomes(parent = os.tmpdir()) {
  const homes = fs
    .readdirSync(parent)
    .filter((name) => name.startsWith(NAME_PREFIX))
    .map((name) => path.join(parent, name));
  for (const home of homes.filter(isAbandoned)) await deleteTemporaryHome(home);
}

/** Copies the logs of a temporary home to the folder THAW_STACK_LOGS, which outlives the test run. */
export function saveLogs(home) {
  const target = process.env.THAW_STACK_LOGS;
  const logs = path.join(home, 'logs');
  if (target && fs.existsSync(logs))
    fs.cpSync(logs, path.join(target, path.basename(home)), { recursive: true });
}

/**
 * Deletes a home folder with all inner homes. Before that, ends the processes of the home, and those of inner homes
 * whose owner no longer runs. Processes whose launcher still runs are not ended: the caller must stop them first.
 */
export async function deleteTemporaryHome(home) {
  await sweepTemporaryHomes(home);
  await endOrphanedProcesses(home);
  await endAbandonedStores(home);
  deleteHome(home);
}

function isAbandoned(home) {
  try {
    // Homes of other users of the machine are left alone.
    if (fs.statSync(home).uid !== process.getuid?.()) return false;
    return !isRunning(JSON.parse(fs.readFileSync(getOwnerPath(home), 'utf8')));
  } catch {
    // The owner has not finished writing its identity, or the home has just been deleted.
    return false;
  }
}

const getOwnerPath = (home) => path.join(home, 'owner.json');
