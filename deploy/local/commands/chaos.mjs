import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { logStep } from '../console.mjs';
import { resolveInRepository } from '../paths.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages, getPackageCommand } from '../provide/node-packages.mjs';

const chaosFolder = resolveInRepository('backend', 'chaos');

/**
 * `npm run chaos [-- --seed N] [--long] [--built]`: builds the product and the chaos harness (backend/chaos), and runs
 * the harness, which puts load on the product and causes failures. Exits with the exit code of the harness. `--built`
 * skips the build of the product.
 */
export async function main(args) {
  const isBuilt = args.includes('--built');
  if (!isBuilt) {
    await ensurePackages(logStep);
    await build(logStep);
  }
  await compileHarness();
  process.exitCode = await runHarness(args.filter((arg) => arg !== '--built'));
}

async function compileHarness() {
  const [compiler, ...compilerArgs] = getPackageCommand('swc');
  await runOrThrow(
    'The harness could not be compiled',
    compiler,
    [
      ...compilerArgs,
      'src',
      '-d',
      'dist',
      '--strip-leading-paths',
      '--config-file',
      '../.swcrc',
      '--ignore',
      '**/*.spec.ts,**/*.integration-spec.ts,**/*.d.ts',
      '--quiet',
    ],
    { cwd: chaosFolder },
  );
}

function runHarness(args) {
  const harnessCommand = [
    process.execPath,
    '--enable-source-maps',
    resolveInRepository('backend', 'chaos', 'dist', 'main.js'),
  ];
  const [command, ...rest] = [...createNamespacePrefix(), ...harnessCommand, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { stdio: 'inherit' });
    const stopListening = onInterruption({
      stop: (signal) => child.kill(signal),
      kill: () => child.kill('SIGKILL'),
    });
    child.once('error', () => reject(new LauncherError(`${command} cannot be run.`)));
    child.once('exit', (code) => {
      stopListening();
      // A program that a signal has ended has no exit code.
      resolve(code ?? 1);
    });
  });
}

/**
 * Returns a command prefix that runs the harness in its own mount namespace, or an empty one if this process may not
 * create a namespace. For one of its faults, a full disk, the harness mounts a small file system. This disappears with
 * the last process of the namespace, even if the harness is killed.
 */
function createNamespacePrefix() {
  const isAllowed = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0;
  return isAllowed ? ['unshare', '--mount'] : [];
}
