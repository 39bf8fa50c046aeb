import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { checkNodeThenRun } from '../../deploy/local/node-version.mjs';

// `npm run bench`: installs packages, builds the product and the bench, and runs the bench, which starts its own
// PostgreSQL and Redis. `checkNodeThenRun` refuses a Node that is too old for the imports in `main`, and otherwise
// calls `main` with the arguments of the command. Most commands pass an `import()` of the module that exports `main`.
checkNodeThenRun(async () => ({ main }));

const benchFolder = path.dirname(fileURLToPath(import.meta.url));

async function main(args) {
  const { ensurePackages, getPackageCommand } = await import('../../deploy/local/provide/node-packages.mjs');
  const { build } = await import('../../deploy/local/provide/build.mjs');
  const logStep = (label, text) => process.stderr.write(`${label}: ${text}\n`);
  await ensurePackages(logStep);
  await build(logStep);
  const compilerCode = await run([
    ...getPackageCommand('swc'),
    'src',
    '-d',
    'dist',
    '--strip-leading-paths',
    '--config-file',
    '../.swcrc',
    '--quiet',
  ]);
  process.exitCode =
    compilerCode || (await run([process.execPath, '--enable-source-maps', 'dist/main.js', ...args]));
}

function run([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: benchFolder, stdio: 'inherit' });
    child.once('error', reject);
    // A process that a signal has ended has no exit code.
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
