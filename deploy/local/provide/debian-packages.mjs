import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder, localHome } from '../paths.mjs';
import { withFileLock } from '../processes/file-lock.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

const DOWNLOAD_LIMIT_MS = 180_000;
/** Dependencies to unpack as well: shared libraries and the Lua modules of redis-server. */
const IS_LIBRARY = /^(lib|lua-)/;
/** Libraries that only the installation of a package needs, and the C library, which every Debian system has. */
const IS_NEVER_NEEDED =
  /(-perl|-common)$|^libc6$|^libgcc|^libperl|^libpam|^libdebconf|^libselinux|^libsemanage|^libaudit/;

/**
 * Unpacks a program from Debian packages into `.thaw`, without changing the system and without root.
 * @param {string[]} names     the packages that hold the program
 * @param {string} program     its path inside them, such as usr/bin/redis-server
 * @returns {Promise<{command: string, env: Record<string, string>, root: string} | undefined>} undefined where the
 *   machine has no apt or cannot reach Debian's servers
 */
export async function unpackDebian(names, program, logStep) {
  const root = path.join(localHome, 'debian', names[0]);
  const completeMarker = path.join(root, '.complete');
  if (!fs.existsSync(completeMarker)) {
    if (!findProgram(['apt-get']) || !findProgram(['dpkg'])) return undefined;
    logStep('Debian', `unpacking ${names[0]} into ${path.relative(process.cwd(), root)}`);
    await withFileLock(path.join(localHome, 'run/debian.lock'), async () => {
      if (fs.existsSync(completeMarker)) return;
      fs.rmSync(root, { recursive: true, force: true });
      if (await downloadAndUnpack(names, ensureFolder(root))) fs.writeFileSync(completeMarker, '');
    });
    if (!fs.existsSync(completeMarker)) return undefined;
  }
  return {
    command: path.join(root, program),
    env: { LD_LIBRARY_PATH: listLibraryFolders(root).join(':') },
    root,
  };
}

async function downloadAndUnpack(names, root) {
  // Try the machine's package lists first. If they are empty or outdated, download private ones.
  for (const createNext of [createSystemApt, createPrivateApt]) {
    const apt = createNext();
    if (apt.isPrivate) await apt.runAptGet(['update']);
    const libraries = await listMissingLibraries(apt, names);
    // Libraries are found only if the lists contain the packages.
    if (libraries.length === 0 && !(await apt.hasPackages(names))) continue;
    const downloads = ensureFolder(root, '.downloads');
    const result = await apt.runAptGet(['download', ...names, ...libraries], downloads);
    if (result.code !== 0) continue;
    const isUnpacked = await unpackAll(downloads, root);
    fs.rmSync(downloads, { recursive: true, force: true });
    if (isUnpacked) return true;
  }
  return false;
}

/** Lists the libraries that the packages depend on, transitively, without those that are installed. */
async function listMissingLibraries(apt, names) {
  const installed = await listInstalledPackages();
  const seen = new Set(names);
  const missing = [];
  // Breadth-first search: each iteration lists the dependencies of the libraries found by the previous one.
  for (let level = names; level.length > 0;) {
    const dependencies = [...new Set(await apt.listDependencies(level))].filter((name) => !seen.has(name));
    level = dependencies.filter(
      (name) => IS_LIBRARY.test(name) && !IS_NEVER_NEEDED.test(name) && !installed.has(name),
    );
    dependencies.forEach((name) => seen.add(name));
    missing.push(...level);
  }
  return missing;
}

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

/** apt with the package lists of the machine. */
const createSystemApt = () => createApt({ settings: [], isPrivate: false });

/** @param {{settings: string[], isPrivate: boolean}} options  `settings` as for `apt-get -o` */
function createApt({ settings, isPrivate }) {
  const options = ['-q', ...settings.flatMap((setting) => ['-o', setting])];
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const run = (command, args, cwd) =>
    runToEnd(command, [...options, ...args], { cwd, env, limitMs: DOWNLOAD_LIMIT_MS });
  return {
    isPrivate,
    runAptGet: (args, cwd) => run('apt-get', args, cwd),
    hasPackages: async (names) => (await run('apt-cache', ['show', ...names])).code === 0,
    listDependencies: async (names) => {
      const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
        (kind) => `--no-${kind}`,
      );
      const { output } = await run('apt-cache', ['depends', ...kinds, ...names]);
      // Lines are "  Depends: libssl3", or " |Depends: …" for an alternative; all alternatives are included. Virtual
      // packages ("  Depends: <libvirtual>", with their providers indented below) are skipped.
      return [...output.matchAll(/^\s*\|?(?:Pre)?Depends: ([a-z0-9][^\s:<>]*)/gm)].map(([, name]) => name);
    },
  };
}

/** apt with private lists and caches, which need no root to update. */
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
    'Debug::NoLocking=true',
  ];
  return createApt({ settings, isPrivate: true });
}

function listLibraryFolders(root) {
  const libraries = ['usr/lib', 'lib']
    .map((name) => path.join(root, name))
    .filter((name) => fs.existsSync(name));
  const perArchitecture = libraries.flatMap((library) =>
    fs
      .readdirSync(library)
      .filter((name) => name.includes('-linux-'))
      .map((name) => path.join(library, name)),
  );
  return [...perArchitecture, ...libraries];
}
