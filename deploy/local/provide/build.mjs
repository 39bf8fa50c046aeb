import path from 'node:path';
import process from 'node:process';
import { resolveInRepository, localHome } from '../paths.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { getPackageCommand } from './node-packages.mjs';

/** Creates an environment that switches off nx's terminal UI, its colours and its daemon, which outlives a command. */
export const createNxEnvironment = () => ({
  ...process.env,
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  FORCE_COLOR: '0',
});

/** Creates the command line that runs an nx target in all projects. */
export const createNxCommand = (target) => [
  ...getPackageCommand('nx'),
  'run-many',
  '-t',
  target,
  '--output-style=static',
];

/** Number of output lines in the error message of a failed build. */
const SHOWN_LINES = 60;

/**
 * Builds the projects that changed since the last build.
 * @throws {LauncherError} with the end of the compilers' output
 */
export async function build(logStep) {
  logStep('build', 'contract, backend, frontend');
  const [command, ...args] = createNxCommand('build');
  const logFile = path.join(localHome, 'logs', 'build.log');
  await runOrThrow('The build failed', command, args, {
    cwd: resolveInRepository(),
    env: createNxEnvironment(),
    logFile,
    shownLines: SHOWN_LINES,
  });
}
