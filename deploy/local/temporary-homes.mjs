import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder, ensureHome } from './paths.mjs';
import { endOrphanedProcesses } from './processes/managed-process.mjs';
import { identify, isRunning } from './processes/process-identity.mjs';
import { deleteHome, endAbandonedStores } from './stores/stores.mjs';

// Home folders (data, logs and secrets of a local stack) of tests, which are deleted when the test ends.

const NAME_PREFIX = 'thaw-home-';

/** Creates a home folder for this process. Once the process has ended, a sweep may delete the folder. */
export function makeTemporaryHome(parent = process.env.THAW_HOME || os.tmpdir()) {
  const home = fs.mkdtempSync(path.join(ensureFolder(parent), NAME_PREFIX));
  ensureHome(home);
  fs.writeFileSync(getOwnerPath(home), JSON.stringify(identify(process.pid)));
  return home;
}

/** Ends and deletes the temporary homes whose owner was killed before it could delete them. */
export async function sweepTemporaryHomes(parent = os.tmpdir()) {
  const homes = fs
    .readdirSync(parent)
    .filter((name) => name.startsWith(NAME_PREFIX))
    .map((name) => path.join(parent, name));
  for (const home of homes.filter(isAbandoned)) await endTemporaryHome(home);
}

/** Copies the logs of a temporary home to the folder THAW_STACK_LOGS, which outlives the test run. */
export function keepLogs(home) {
  const target = process.env.THAW_STACK_LOGS;
  const logs = path.join(home, 'logs');
  if (target && fs.existsSync(logs))
    fs.cpSync(logs, path.join(target, path.basename(home)), { recursive: true });
}

/** Ends all processes of a home and of homes inside it, and deletes it. */
export async function endTemporaryHome(home) {
  await sweepTemporaryHomes(home);
  await endOrphanedProcesses(home);
  await endAbandonedStores(home);
  deleteHome(home);
}

function isAbandoned(home) {
  try {
    if (fs.statSync(home).uid !== process.getuid?.()) return false;
    return !isRunning(JSON.parse(fs.readFileSync(getOwnerPath(home), 'utf8')));
  } catch {
    return false;
  }
}

const getOwnerPath = (home) => path.join(home, 'owner.json');
