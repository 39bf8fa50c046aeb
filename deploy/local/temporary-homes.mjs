import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { folder, homeFolder } from './places.mjs';
import { endLeftovers } from './processes/managed-process.mjs';
import { identify, isRunning } from './processes/process-identity.mjs';
import { deleteHome, endAbandonedStores } from './stores/stores.mjs';

const PREFIX = 'thaw-home-';

/** A home folder that lives as long as the process that makes it. */
export function makeTemporaryHome(parent = process.env.THAW_HOME || os.tmpdir()) {
  const home = fs.mkdtempSync(path.join(folder(parent), PREFIX));
  homeFolder(home);
  fs.writeFileSync(ownerFile(home), JSON.stringify(identify(process.pid)));
  return home;
}

/** Ends and deletes the temporary homes whose makers are gone without having done so, as after a kill. */
export async function sweepTemporaryHomes(parent = os.tmpdir()) {
  const homes = fs
    .readdirSync(parent)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => path.join(parent, name));
  for (const home of homes.filter(isAbandoned)) await endTemporaryHome(home);
}

/** Ends whatever still runs for a home, in homes inside it too, and deletes it. */
export async function endTemporaryHome(home) {
  await sweepTemporaryHomes(home);
  await endLeftovers(home);
  await endAbandonedStores(home);
  deleteHome(home);
}

function isAbandoned(home) {
  try {
    if (fs.statSync(home).uid !== process.getuid?.()) return false;
    return !isRunning(JSON.parse(fs.readFileSync(ownerFile(home), 'utf8')));
  } catch {
    return false;
  }
}

const ownerFile = (home) => path.join(home, 'owner.json');
