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
  const starting = session.start();
  const interruption = stopOnInterruption(session, starting);
  try {
    await starting;
    process.stdout.write(`\nhttp://localhost:${port}\n\n`);
  } catch (error) {
    // After an interruption, a failure of the start is expected.
    if (!interruption.hasBegun) {
      await session.stop();
      throw error;
    }
  }
  await interruption.stopped;
  process.exit(0);
}

/**
 * Stops the session on the first Ctrl-C, and kills it on the second.
 * @returns {{hasBegun: boolean, stopped: Promise<void>}} `stopped` resolves when the session has stopped
 */
function stopOnInterruption(session, starting) {
  const interruption = { hasBegun: false, stopped: undefined };
  interruption.stopped = new Promise((resolve, reject) => {
    onInterruption({
      stop: () => {
        interruption.hasBegun = true;
        // Ends the installation, the build or the migrations, for which `starting` may be waiting.
        signalRunningPrograms('SIGTERM');
        // Ends the processes of the session, for which `starting` may be waiting as well.
        session.interrupt();
        // Wait until start-up has settled, so that no half-started process keeps running.
        starting
          .catch(() => {})
          .then(() => session.stop())
          .then(resolve, reject);
      },
      kill: () => {
        session.killNow();
        process.exit(1);
      },
    });
  });
  return interruption;
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
      this.#createProcess({
        name: 'dev-api',
        program: createBackendProgram('main.api.js'),
        settings: { PORT: apiPort, INTERNAL_PORT: apiInternalPort },
        isReady: createReadinessCheck(apiInternalPort),
      }),
      this.#createProcess({
        name: 'dev-worker',
        program: createBackendProgram('main.worker.js'),
        settings: { INTERNAL_PORT: workerInternalPort },
        isReady: createReadinessCheck(workerInternalPort),
      }),
      this.#createProcess({
        name: 'dev-vite',
        program: createViteProgram(this.#port),
        settings: { THAW_API_URL: `http://127.0.0.1:${apiPort}` },
        isReady: createPageCheck(this.#port),
      }),
    ];
    const logFiles = Object.fromEntries(this.#processes.map(({ name, logFile }) => [name, logFile]));
    this.#stopFollowingLogs = followLogs(logFiles, (line) => console.log(dim(line)));
    await Promise.all(this.#processes.map((managedProcess) => managedProcess.start()));
    this.#stopCompiling = compileOnChange();
  }

  /** Ends the processes. If they are not ready yet, `start` then fails. */
  interrupt() {
    this.#processes.forEach((managedProcess) => managedProcess.kill('SIGTERM'));
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

  /** `settings`: environment variables that only this process gets. */
  #createProcess({ name, program, settings, isReady }) {
    const logFile = path.join(localHome, 'logs', `${name}.log`);
    fs.rmSync(logFile, { force: true }); // the log of an earlier session
    const definition = {
      ...program,
      name,
      env: prepareProductEnvironment({ home: localHome, stores: this.#stores, settings }),
      logFile,
      isReady,
      endSteps: END_STEPS,
    };
    return new ManagedProcess(definition, {
      home: localHome,
      onRestart: (message) => logStep('restart', message),
    });
  }
}

/** Runs a script of the backend. Node restarts it when its compiled files change. */
function createBackendProgram(script) {
  const args = [
    '--enable-source-maps',
    '--watch',
    '--watch-preserve-output',
    resolveInRepository('backend/dist', script),
  ];
  return { command: process.execPath, args, cwd: resolveInRepository() };
}

function createViteProgram(port) {
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
