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
 * `npm run chaos [-- --seed N] [--long]`: runs the harness in backend/chaos, which puts load on the product and causes
 * failures, and exits with the exit code of the harness. Builds both first; `--built` skips the build of the product.
 */
export async function main(args) {
  const isBuilt = args.includes('--built');
  if (!isBuilt) {
    await ensurePackages(logStep);
    await build(logStep);
  }
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
  process.exitCode = await runHarness(args.filter((arg) => arg !== '--built'));
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
 * Returns a command prefix that runs the harness in its own mount namespace. The small file system that its full-disk
 * fault mounts then disappears with the last process of the namespace. The prefix is empty if this process may not
 * create a namespace.
 */
function createNamespacePrefix() {
  const isAllowed = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0;
  return isAllowed ? ['unshare', '--mount'] : [];
}
