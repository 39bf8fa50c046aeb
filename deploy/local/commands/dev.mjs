import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { bold, dim, logStep } from '../console.mjs';
import { resolveInRepository, localHome } from '../paths.mjs';
import { followLogs } from '../processes/follow-log.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { endOrphanedProcesses, ManagedProcess } from '../processes/managed-process.mjs';
import { getHttpStatus } from '../processes/http-status.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { signalRunningPrograms } from '../processes/run-to-end.mjs';
import { prepareProductEnvironment } from '../product-environment.mjs';
import { compileOnChange } from '../provide/compile-on-change.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages, getPackageCommand } from '../provide/node-packages.mjs';
import { openStores } from '../stores/stores.mjs';
import { requireAvailablePort, runMigrations, thawPrograms } from '../thaw-stack.mjs';

/** Port of the page, which Vite serves. */
const DEFAULT_PORT = 5173;
/** How a process is ended: the signals in their order, and the longest time to wait after each. */
const END_STEPS = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

/**
 * `npm run dev`: runs the stores, the processes of the backend, and Vite's development server for the page, which
 * proxies /api and /ws. A change of contract or backend is compiled, and the processes are restarted.
 */
export async function main() {
  const port = Number(process.env.PORT || DEFAULT_PORT);
  process.stdout.write(`\n  ${bold('Thaw: development')}\n\n`);
  // Processes left behind by a killed launcher may hold the port, so they are ended before it is checked.
  await endOrphanedProcesses(localHome);
  await requireAvailablePort(port);
  const session = new DevelopmentSession(port);
  const startUp = session.start();
  const shutDown = new Promise((resolve, reject) => {
    onInterruption({
      stop: () => {
        // Ends the installation, the build or the migrations, for which `startUp` may be waiting.
        signalRunningPrograms('SIGTERM');
        // Wait until start-up has settled, so that no half-started process keeps running.
        startUp
          .catch(() => {})
          .then(() => session.stop())
          .then(resolve, reject);
      },
      // Called on a second Ctrl-C.
      kill: () => {
        session.killNow();
        process.exit(1);
      },
    });
  });
  try {
    await startUp;
  } catch (error) {
    await session.stop();
    throw error;
  }
  process.stdout.write(`\nhttp://localhost:${port}\n\n`);
  await shutDown;
  process.exit(0);
}

/** The stores and processes of one `npm run dev`. */
class DevelopmentSession {
  #port;
  #stores;
  #processes = [];
  #stopFollowingLogs = () => {};
  #stopCompiling = () => {};

  constructor(port) {
    this.#port = port;
  }

  async start() {
    await ensurePackages(logStep);
    await build(logStep);
    this.#stores = await openStores({ home: localHome, logStep });
    const [apiPort, apiInternalPort, workerInternalPort] = await findFreePorts(3);
    await runMigrations({ program: thawPrograms.migrate, home: localHome, stores: this.#stores });
    this.#processes = [
      this.#createProcess(
        'api',
        createWatchCommand('main.api.js'),
        { PORT: apiPort, INTERNAL_PORT: apiInternalPort },
        createReadinessCheck(apiInternalPort),
      ),
      this.#createProcess(
        'worker',
        createWatchCommand('main.worker.js'),
        { INTERNAL_PORT: workerInternalPort },
        createReadinessCheck(workerInternalPort),
      ),
      this.#createProcess(
        'vite',
        createViteCommand(this.#port),
        { THAW_API_URL: `http://127.0.0.1:${apiPort}` },
        createPageCheck(this.#port),
      ),
    ];
    this.#stopFollowingLogs = followLogs(
      Object.fromEntries(this.#processes.map(({ name, logFile }) => [name, logFile])),
      (line) => console.log(dim(line)),
    );
    await Promise.all(this.#processes.map((managedProcess) => managedProcess.start()));
    this.#stopCompiling = compileOnChange();
  }

  async stop() {
    this.#stopCompiling();
    await Promise.all(this.#processes.map((managedProcess) => managedProcess.stop()));
    this.#stopFollowingLogs();
    await this.#stores?.close();
  }

  killNow() {
    this.#processes.forEach((managedProcess) => managedProcess.kill('SIGKILL'));
    this.#stores?.killNow();
  }

  #createProcess(name, { command, args, cwd }, settings, isReady) {
    const logFile = path.join(localHome, 'logs', `dev-${name}.log`);
    fs.rmSync(logFile, { force: true }); // the log of an earlier session
    const env = this.#buildEnvironment(settings);
    const definition = {
      name: `dev-${name}`,
      command,
      args,
      cwd,
      env,
      logFile,
      isReady,
      endSteps: END_STEPS,
    };
    return new ManagedProcess(definition, {
      home: localHome,
      onRestart: (message) => logStep('restart', message),
    });
  }

  #buildEnvironment(settings) {
    return prepareProductEnvironment({ home: localHome, stores: this.#stores, settings });
  }
}

/** Creates the command that runs a script of the backend; Node restarts it when its compiled files change. */
function createWatchCommand(script) {
  const args = [
    '--enable-source-maps',
    '--watch',
    '--watch-preserve-output',
    resolveInRepository('backend/dist', script),
  ];
  return { command: process.execPath, args, cwd: resolveInRepository() };
}

function createViteCommand(port) {
  const [command, ...args] = getPackageCommand('vite');
  return {
    command,
    args: [...args, '--port', String(port), '--strictPort'],
    cwd: resolveInRepository('frontend'),
  };
}

const createReadinessCheck = (internalPort) => async () =>
  (await getHttpStatus(`http://127.0.0.1:${internalPort}/health/ready`)) === 200;

const createPageCheck = (port) => async () => (await getHttpStatus(`http://localhost:${port}/`)) === 200;
