import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Programs } from '../../../deploy/local/thaw-stack.mjs';
import { applyChanges, type SourceChange } from './source-changes';

const runProgram = promisify(execFile);
const repositoryFolder = resolve(__dirname, '../../..');
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** What a build of the backend needs; npm also reads the package file of the frontend, which is a workspace. */
const SOURCE_PATHS = ['contract', 'backend', 'frontend/package.json'];
const ROOT_FILES = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.base.json'];

/** A build of the product, from which processes can be started. */
export interface Release {
  programs: Programs;
}

/** Temporary folders to build releases in. */
export class ReleaseFolders {
  private readonly folders: string[] = [];

  make(): string {
    const folder = mkdtempSync(join(tmpdir(), 'thaw-release-'));
    this.folders.push(folder);
    return folder;
  }

  remove(): void {
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the working tree's release, as it was built before the tests. */
export const getCurrentRelease = async (): Promise<Release> => {
  const { thawPrograms } = await import('../../../deploy/local/thaw-stack.mjs');
  return { programs: thawPrograms };
};

/**
 * Reads the id of the commit that is tested as the previous release: the oldest release that the current one can
 * replace without an interruption of the service.
 */
export const readPreviousReleaseId = (): string =>
  readFileSync(join(__dirname, 'previous-release'), 'utf8').trim();

/** Whether git has the commit of the previous release; a shallow clone or an unpacked archive does not. */
export const hasPreviousRelease = (): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${readPreviousReleaseId()}^{commit}`], {
      cwd: repositoryFolder,
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
};

/** Builds the previous release from git. @param folder an existing empty folder for the build. */
export const buildPreviousRelease = async (folder: string): Promise<Release> => {
  const commitId = readPreviousReleaseId();
  const archive = join(folder, 'source.tar');
  await runProgram('git', ['archive', `--output=${archive}`, commitId, ...SOURCE_PATHS, ...ROOT_FILES], {
    cwd: repositoryFolder,
  });
  await runProgram('tar', ['-xf', archive, '-C', folder]);
  await providePackages(folder);
  await compile(folder, 'contract');
  await compile(folder, 'backend');
  return describeRelease(folder);
};

/**
 * Builds a changed copy of the working tree, as a later release. The working tree itself is not changed.
 * @param folder an existing empty folder for the build.
 */
export const buildLaterRelease = async (
  folder: string,
  changes: readonly SourceChange[],
): Promise<Release> => {
  for (const name of ROOT_FILES) cpSync(join(repositoryFolder, name), join(folder, name));
  mkdirSync(join(folder, 'backend'));
  for (const name of ['package.json', '.swcrc', 'scripts', 'src']) {
    cpSync(join(repositoryFolder, 'backend', name), join(folder, 'backend', name), { recursive: true });
  }
  // The contract is built already, and `changes` do not concern it.
  symlinkSync(join(repositoryFolder, 'contract'), join(folder, 'contract'));
  applyChanges(join(folder, 'backend', 'src'), changes);
  await providePackages(folder);
  await compile(folder, 'backend');
  return describeRelease(folder);
};

const describeRelease = async (folder: string): Promise<Release> => {
  const { describePrograms } = await import('../../../deploy/local/thaw-stack.mjs');
  return { programs: describePrograms(join(folder, 'backend', 'dist')) };
};

/** Links the packages of the working tree if the lock files are equal; otherwise installs those of the release. */
const providePackages = async (folder: string): Promise<void> => {
  const readLock = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (readLock(folder) !== readLock(repositoryFolder)) {
    await runNpm(folder, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    return;
  }
  const packages = join(folder, 'node_modules');
  mkdirSync(join(packages, '@thaw'), { recursive: true });
  // The packages are linked one by one, because @thaw/contract must be that of the release.
  for (const name of readdirSync(join(repositoryFolder, 'node_modules'))) {
    if (name !== '@thaw' && !name.startsWith('.package-lock'))
      symlinkSync(join(repositoryFolder, 'node_modules', name), join(packages, name));
  }
  symlinkSync(join(folder, 'contract'), join(packages, '@thaw', 'contract'));
};

const compile = (folder: string, project: 'contract' | 'backend'): Promise<void> =>
  runNpm(join(folder, project), ['run', '--silent', 'build']);

const runNpm = async (cwd: string, args: string[]): Promise<void> => {
  const { getNpmCommand } = await import('../../../deploy/local/provide/node-packages.mjs');
  const [program, ...firstArgs] = getNpmCommand();
  await runProgram(program, [...firstArgs, ...args], { cwd, maxBuffer: MAX_OUTPUT_BYTES }).catch(
    (cause: Error) => {
      throw new Error(`npm ${args.join(' ')} failed in ${cwd}`, { cause });
    },
  );
};
