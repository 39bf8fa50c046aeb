import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { Complaint } from '../complaint.mjs';
import { say } from '../console.mjs';
import { inRepository } from '../places.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { mustRun } from '../processes/run-to-end.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages, packageCommand } from '../provide/node-packages.mjs';

const folder = inRepository('backend', 'chaos');

/** `npm run chaos [-- --seed N] [--long]`: builds product and harness, runs the harness, and exits with its code. */
export async function main(args) {
  const isBuilt = args.includes('--built');
  if (!isBuilt) {
    await ensurePackages(say);
    await build(say);
  }
  const [compiler, ...compilerArgs] = packageCommand('swc');
  await mustRun(
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
    { cwd: folder },
  );
  process.exitCode = await runHarness(args.filter((arg) => arg !== '--built'));
}

function runHarness(args) {
  const node = [
    process.execPath,
    '--enable-source-maps',
    inRepository('backend', 'chaos', 'dist', 'main.js'),
  ];
  const [command, ...rest] = [...mountNamespace(), ...node, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { stdio: 'inherit' });
    const stopListening = onInterruption({
      stop: (signal) => child.kill(signal),
      kill: () => child.kill('SIGKILL'),
    });
    child.once('error', () => reject(new Complaint(`${command} cannot be run.`)));
    child.once('exit', (code) => {
      stopListening();
      resolve(code ?? 1);
    });
  });
}

/** The full-disk fault mounts a small file system. In a mount namespace it disappears with the last process of the run. */
function mountNamespace() {
  const isPossible = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0;
  return isPossible ? ['unshare', '--mount'] : [];
}
