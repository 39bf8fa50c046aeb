import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { resolveInRepository, localHome } from '../paths.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

/**
 * Installs the packages of the lock file with `npm ci`, unless they are installed already for this Node.
 * @param logStep  prints a line of progress
 * @param root  folder of the lock file, the root of the checkout by default
 * @throws {LauncherError} when npm is missing or fails
 */
export async function ensurePackages(logStep, root = resolveInRepository()) {
  const stampFile = path.join(root, 'node_modules/.thaw-install');
  const stamp = computeStamp(root);
  const lastStamp = readIfPresent(stampFile);
  if (lastStamp === stamp) return;
  // If the user has run npm, the packages are installed, although npm does not update the stamp.
  if (!isInstalled(root) || isOfOtherNode(lastStamp)) {
    logStep('packages', 'npm ci; the first time, this takes a minute');
    const [command, ...npmArgs] = getNpmCommand();
    const args = [...npmArgs, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    const logFile = path.join(localHome, 'logs', 'npm.log');
    await runOrThrow('npm could not install the packages', command, args, {
      cwd: root,
      env: process.env,
      logFile,
    });
  }
  fs.writeFileSync(stampFile, stamp);
}

/** Whether node_modules contains the packages of the lock file, according to npm's record of its last installation. */
export function isInstalled(root) {
  const installed = readJson(path.join(root, 'node_modules/.package-lock.json'))?.packages;
  if (!installed) return false;
  const locked = readJson(path.join(root, 'package-lock.json')).packages;
  return Object.entries(locked).every(([location, entry]) => {
    // The root and the workspaces are not installed.
    if (!location.includes('node_modules/')) return true;
    const present = installed[location];
    // npm may leave out optional packages, such as those for other platforms, and peers.
    if (!present) return Boolean(entry.optional || entry.devOptional || entry.peer);
    return present.version === entry.version;
  });
}

/**
 * Returns a text that identifies an installation: a hash of the lock file, and the platform and ABI version of Node,
 * because packages contain binaries.
 */
function computeStamp(root) {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  return `${hash} ${describeNode()}\n`;
}

const describeNode = () => `${process.platform}-${process.arch} ${process.versions.modules}`;

/** Whether a stamp, if there is one, says that the packages were installed for another platform or ABI version. */
export function isOfOtherNode(stamp) {
  return stamp !== undefined && !stamp.endsWith(` ${describeNode()}\n`);
}

/** Returns the command line of npm. @throws {LauncherError} when npm is missing */
export function getNpmCommand() {
  // npm sets this variable for the scripts that it runs. This npm need not be on PATH.
  const script = process.env.npm_execpath;
  if (script && /npm-cli\.c?js$/.test(script) && fs.existsSync(script)) return [process.execPath, script];
  const program = findProgram(['npm'], [path.dirname(process.execPath)]);
  if (!program) throw new LauncherError('npm is missing: it is part of Node, so reinstall Node.');
  return [program];
}

/**
 * Returns the command line that runs a program of a package with this Node. The package need not be installed yet.
 * @param {string} name  name of the program in node_modules/.bin
 */
export function getPackageCommand(name) {
  return [process.execPath, resolveInRepository('node_modules/.bin', name)];
}

function readIfPresent(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

function readJson(file) {
  const text = readIfPresent(file);
  return text && JSON.parse(text);
}
