import { spawn } from 'node:child_process';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { resolveInRepository } from '../paths.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { findK6 } from '../provide/k6.mjs';

const SCRIPTS = ['smoke', 'chat', 'matching', 'private', 'storm', 'soak'];

/**
 * `npm run load -- <script> [options of k6]`: runs a script of deploy/k6 against the server at the address in BASE_URL,
 * and exits with the exit code of k6, which is not 0 if a threshold of the script was crossed.
 */
export async function main([script, ...k6Options]) {
  if (!SCRIPTS.includes(script)) {
    throw new LauncherError(`Usage: npm run load -- ${SCRIPTS.join('|')} [options of k6]`);
  }
  const k6 = findK6();
  if (!k6) {
    throw new LauncherError(
      'k6 was not found: install it with "go install go.k6.io/k6@latest", from a package of your system, or run the image grafana/k6, then try again.',
    );
  }
  process.exitCode = await run(k6, [
    'run',
    ...k6Options,
    resolveInRepository('deploy', 'k6', `${script}.js`),
  ]);
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' });
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
