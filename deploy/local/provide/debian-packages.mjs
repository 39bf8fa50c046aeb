import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder, localHome } from '../paths.mjs';
import { withFileLock } from '../processes/file-lock.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

/** Time limit of each run of apt, which may download packages. */
const APT_LIMIT_MS = 180_000;
/** Names of dependencies that are unpacked as well: shared libraries, and the Lua modules of redis-server. */
const LIBRARY_NAME = /^(lib|lua-)/;
/**
 * Names of packages that are not unpacked: those that only the installation of a package needs, and libraries that
 * every Debian system has.
 */
const UNNEEDED_NAME =
  /(-perl|-common)$|^libc6$|^libgcc|^libperl|^libpam|^libdebconf|^libselinux|^libsemanage|^libaudit/;

/**
 * Unpacks a program from Debian packages into `.thaw`, without changing the system and without root.
 * @param {string[]} packages  names of the packages that contain the program
 * @param {string} program     path of the program inside the packages, such as usr/bin/redis-server
 * @param {(label: string, text: string) => void} logStep  prints a line of progress
 * @returns {Promise<{command: string, env: Record<string, string>, root: string} | undefined>} how to run the program,
 *   and `root`, the folder with all unpacked files; undefined if the machine has no apt or cannot reach Debian's
 * servers
 */
export async function unpackDebian(packages, program, logStep) {
  const root = path.join(localHome, 'debian', packages[0]);
  if (!(await ensureUnpacked(packages, root, logStep))) return undefined;
  return {
    command: path.join(root, program),
    env: { LD_LIBRARY_PATH: listLibraryFolders(root).join(':') },
    root,
  };
}

/** Unpacks the packages into `root`, unless an earlier run has. @returns whether they are completely unpacked */
async function ensureUnpacked(packages, root, logStep) {
  const completeMarker = path.join(root, '.complete');
  const isComplete = () => fs.existsSync(completeMarker);
  if (isComplete()) return true;
  if (!findProgram(['apt-get']) || !findProgram(['dpkg'])) return false;
  logStep('Debian', `unpacking ${packages[0]} into ${path.relative(process.cwd(), root)}`);
  await withFileLock(path.join(localHome, 'run/debian.lock'), async () => {
    // Another launcher may have unpacked the packages while this one waited for the lock.
    if (isComplete()) return;
    fs.rmSync(root, { recursive: true, force: true });
    if (await downloadAndUnpack(packages, ensureFolder(root))) fs.writeFileSync(completeMarker, '');
  });
  return isComplete();
}

async function downloadAndUnpack(packages, root) {
  // Try the machine's package lists first. If they are empty or outdated, use private ones, which need a download.
  for (const createApt of [createSystemApt, createPrivateApt]) {
    const apt = createApt();
    if (apt.isPrivate) await apt.runAptGet(['update']);
    if (!(await apt.hasPackages(packages))) continue;
    const libraries = await listMissingLibraries(apt, packages);
    const downloads = ensureFolder(root, '.downloads');
    const result = await apt.runAptGet(['download', ...packages, ...libraries], downloads);
    const isUnpacked = result.code === 0 && (await unpackAll(downloads, root));
    // Also after a failed download: the next lists may have other versions of the archives that have arrived.
    fs.rmSync(downloads, { recursive: true, force: true });
    if (isUnpacked) return true;
  }
  return false;
}

/** Lists the libraries that the packages depend on, directly or indirectly, and that are not installed. */
async function listMissingLibraries(apt, packages) {
  const installed = await listInstalledPackages();
  const isMissing = (name) => LIBRARY_NAME.test(name) && !UNNEEDED_NAME.test(name) && !installed.has(name);
  const seen = new Set(packages);
  const missing = [];
  // Breadth-first search: each iteration lists the dependencies of the libraries found by the previous one.
  let level = packages;
  while (level.length > 0) {
    const dependencies = new Set(await apt.listDependencies(level));
    const unseen = [...dependencies].filter((name) => !seen.has(name));
    unseen.forEach((name) => seen.add(name));
    level = unseen.filter(isMissing);
    missing.push(...level);
  }
  return missing;
}

/** @returns whether there were packages and all were unpacked */
async function unpackAll(downloads, root) {
  const archives = fs.readdirSync(downloads).filter((name) => name.endsWith('.deb'));
  for (const archive of archives) {
    const { code } = await runToEnd('dpkg', ['-x', path.join(downloads, archive), root]);
    if (code !== 0) return false;
  }
  return archives.length > 0;
}

/** @returns {Promise<Set<string>>} names of the packages that dpkg has installed */
async function listInstalledPackages() {
  const { output } = await runToEnd('dpkg-query', ['-W', '-f', '${db:Status-Abbrev} ${Package}\\n']);
  return new Set(
    output
      .split('\n')
      .filter((line) => line.startsWith('ii '))
      .map((line) => line.slice(3).trim()),
  );
}

/** Creates an apt that uses the package lists of the machine. */
const createSystemApt = () => configureApt({ settings: [], isPrivate: false });

/** @param {{settings: string[], isPrivate: boolean}} options  `settings`: as for `apt-get -o` */
function configureApt({ settings, isPrivate }) {
  const options = ['-q', ...settings.flatMap((setting) => ['-o', setting])];
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const run = (command, args, cwd) =>
    runToEnd(command, [...options, ...args], { cwd, env, limitMs: APT_LIMIT_MS });
  return {
    isPrivate,
    runAptGet: (args, cwd) => run('apt-get', args, cwd),
    hasPackages: async (packages) => (await run('apt-cache', ['show', ...packages])).code === 0,
    listDependencies: async (packages) => {
      const otherRelations = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
      const flags = otherRelations.map((relation) => `--no-${relation}`);
      const { output } = await run('apt-cache', ['depends', ...flags, ...packages]);
      // Lines are "  Depends: libssl3", or " |Depends: …" for an alternative; all alternatives are included. Virtual
      // packages ("  Depends: <libvirtual>", with their providers indented below) are skipped.
      return [...output.matchAll(/^\s*\|?(?:Pre)?Depends: ([a-z0-9][^\s:<>]*)/gm)].map(([, name]) => name);
    },
  };
}

/** Creates an apt with its own package lists and caches, which can be updated without root. */
function createPrivateApt() {
  const state = ensureFolder(localHome, 'debian', 'apt');
  // apt refuses to run without these folders.
  ensureFolder(state, 'lists', 'partial');
  ensureFolder(state, 'cache', 'archives', 'partial');
  const settings = [
    `Dir::State=${state}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${path.join(state, 'cache')}`,
    // As root, apt would otherwise download as the user _apt, who cannot enter this folder.
    'APT::Sandbox::User=root',
    // `unpackDebian` holds a lock already.
    'Debug::NoLocking=true',
  ];
  return configureApt({ settings, isPrivate: true });
}

/** Lists the folders with shared libraries below `root`, those of an architecture (`x86_64-linux-gnu`) first. */
function listLibraryFolders(root) {
  const folders = ['usr/lib', 'lib']
    .map((name) => path.join(root, name))
    .filter((folder) => fs.existsSync(folder));
  const perArchitecture = folders.flatMap((folder) =>
    fs
      .readdirSync(folder)
      .filter((name) => name.includes('-linux-'))
      .map((name) => path.join(folder, name)),
  );
  return [...perArchitecture, ...folders];
}
