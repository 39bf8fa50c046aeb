import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { folder, localHome } from '../places.mjs';
import { underLock } from '../processes/folder-lock.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

const DOWNLOAD_LIMIT_MS = 180_000;
// Dependencies that a program may need at run time: libraries and Lua modules. The C library is always installed.
const CARRIES_LIBRARIES = /^(lib|lua-)/;
const NEVER_NEEDED =
  /(-perl|-common)$|^libc6$|^libgcc|^libperl|^libpam|^libdebconf|^libselinux|^libsemanage|^libaudit/;

/**
 * Unpacks a program from Debian packages into `.thaw`, without changing the system and without root.
 * @param {string[]} names     the packages that hold the program
 * @param {string} program     its path inside them, such as usr/bin/redis-server
 * @returns {Promise<{command: string, env: Record<string, string>, root: string} | undefined>} undefined where the
 *   machine has no apt or cannot reach Debian's servers
 */
export async function unpackDebian(names, program, say) {
  const root = path.join(localHome, 'debian', names[0]);
  const complete = path.join(root, '.complete');
  if (!fs.existsSync(complete)) {
    if (!findProgram(['apt-get']) || !findProgram(['dpkg'])) return undefined;
    say('Debian', `unpacking ${names[0]} into ${path.relative(process.cwd(), root)}`);
    await underLock(path.join(localHome, 'run/debian.lock'), async () => {
      if (fs.existsSync(complete)) return;
      fs.rmSync(root, { recursive: true, force: true });
      if (await downloadAndUnpack(names, folder(root))) fs.writeFileSync(complete, '');
    });
    if (!fs.existsSync(complete)) return undefined;
  }
  return {
    command: path.join(root, program),
    env: { LD_LIBRARY_PATH: libraryFolders(root).join(':') },
    root,
  };
}

async function downloadAndUnpack(names, root) {
  // First with the machine's package lists; if those are empty or outdated, with freshly downloaded private ones.
  for (const apt of [ownApt([]), privateApt()]) {
    if (apt.isPrivate) await apt.get(['update']);
    const wanted = [...names, ...(await librariesOf(apt, names))];
    if (wanted.length === names.length && !(await apt.knows(names))) continue;
    const downloads = folder(root, '.downloads');
    const result = await apt.get(['download', ...wanted], downloads);
    if (result.code !== 0) continue;
    const isUnpacked = await unpackAll(downloads, root);
    fs.rmSync(downloads, { recursive: true, force: true });
    if (isUnpacked) return true;
  }
  return false;
}

/** The libraries that the packages depend on, transitively, without those that are installed. */
async function librariesOf(apt, names) {
  const installed = await installedPackages();
  const seen = new Set(names);
  const wanted = [];
  for (let next = names; next.length > 0;) {
    const found = [...new Set(await apt.dependsOn(next))].filter((name) => !seen.has(name));
    next = found.filter(
      (name) => CARRIES_LIBRARIES.test(name) && !NEVER_NEEDED.test(name) && !installed.has(name),
    );
    found.forEach((name) => seen.add(name));
    wanted.push(...next);
  }
  return wanted;
}

async function unpackAll(downloads, root) {
  const archives = fs.readdirSync(downloads).filter((name) => name.endsWith('.deb'));
  for (const archive of archives) {
    const { code } = await runToEnd('dpkg', ['-x', path.join(downloads, archive), root]);
    if (code !== 0) return false;
  }
  return archives.length > 0;
}

async function installedPackages() {
  const { output } = await runToEnd('dpkg-query', ['-W', '-f', '${db:Status-Abbrev} ${Package}\\n']);
  return new Set(
    output
      .split('\n')
      .filter((line) => line.startsWith('ii '))
      .map((line) => line.slice(3).trim()),
  );
}

function ownApt(settings, isPrivate = false) {
  const options = ['-q', ...settings.flatMap((setting) => ['-o', setting])];
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const run = (command, args, cwd) =>
    runToEnd(command, [...options, ...args], { cwd, env, limitMs: DOWNLOAD_LIMIT_MS });
  return {
    isPrivate,
    get: (args, cwd) => run('apt-get', args, cwd),
    knows: async (names) => (await run('apt-cache', ['show', ...names])).code === 0,
    dependsOn: async (names) => {
      const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
        (kind) => `--no-${kind}`,
      );
      const { output } = await run('apt-cache', ['depends', ...kinds, ...names]);
      // "  Depends: libssl3", or " |Depends: …" for each alternative but the last; all of them are taken. A virtual
      // package ("  Depends: <libvirtual>", its providers indented below it) is skipped.
      return [...output.matchAll(/^\s*\|?(?:Pre)?Depends: ([a-z0-9][^\s:<>]*)/gm)].map(([, name]) => name);
    },
  };
}

/** apt with private lists and caches, which need no root to update. */
function privateApt() {
  const state = folder(localHome, 'debian', 'apt');
  folder(state, 'lists', 'partial');
  folder(state, 'cache', 'archives', 'partial');
  const settings = [
    `Dir::State=${state}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${path.join(state, 'cache')}`,
    // As root, apt would otherwise download as the user _apt, who cannot enter this folder.
    'APT::Sandbox::User=root',
    'Debug::NoLocking=true',
  ];
  return ownApt(settings, true);
}

function libraryFolders(root) {
  const libraries = ['usr/lib', 'lib']
    .map((name) => path.join(root, name))
    .filter((name) => fs.existsSync(name));
  const perMachine = libraries.flatMap((library) =>
    fs
      .readdirSync(library)
      .filter((name) => name.includes('-linux-'))
      .map((name) => path.join(library, name)),
  );
  return [...perMachine, ...libraries];
}
