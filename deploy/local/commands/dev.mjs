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
import { runOrThrow, signalRunning } from '../processes/run-to-end.mjs';
import { prepareProductEnvironment } from '../product-environment.mjs';
import { compileOnChange } from '../provide/compile-on-change.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages, getPackageCommand } from '../provide/node-packages.mjs';
import { openStores } from '../stores/stores.mjs';
import { refuseTakenPort, thawPrograms } from '../thaw-stack.mjs';

const PAGE_PORT = 5173;
/** How a process is stopped: each signal, and the time to wait before the next. */
const END_STEPS = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

/**
 * `npm run dev`: runs the stores, contract and backend (recompiled and restarted on every change), and Vite's
 * development server for the page, which proxies /api and /ws.
 */
export async function main() {
  const port = Number(process.env.PORT || PAGE_PORT);
  process.stdout.write(`\n  ${bold('Thaw: development')}\n\n`);
  await endOrphanedProcesses(localHome);
  await refuseTakenPort(port);
  const session = new DevelopmentSession(port);
  const starting = session.start();
  const stopped = new Promise((resolve, reject) => {
    onInterruption({
      stop: () => {
        signalRunning('SIGTERM');
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
  try {
    await starting;
  } catch (error) {
    await session.stop();
    throw error;
  }
  process.stdout.write(`\nhttp://localhost:${port}\n\n`);
  await stopped;
  process.exit(0);
}

class DevelopmentSession {
  #port;
  #stores;
  #processes = [];
  #stopFollowing = () => {};
  #stopCompiling = () => {};

  constructor(port) {
    this.#port = port;
  }

  async start() {
    await ensurePackages(logStep);
    await build(logStep);
    this.#stores = await openStores({ home: localHome, logStep });
    const [apiPort, apiInternal, workerInternal] = await findFreePorts(3);
    const { migrate } = thawPrograms;
    const env = this.#environment({});
    await runOrThrow('The migrations failed', migrate.command, migrate.args, { env });
    this.#processes = [
      this.#createProcess(
        'api',
        createWatchCommand('main.api.js'),
        { PORT: apiPort, INTERNAL_PORT: apiInternal },
        createReadinessCheck(apiInternal),
      ),
      this.#createProcess(
        'worker',
        createWatchCommand('main.worker.js'),
        { INTERNAL_PORT: workerInternal },
        createReadinessCheck(workerInternal),
      ),
      this.#createProcess(
        'vite',
        createViteCommand(this.#port),
        { THAW_API_URL: `http://127.0.0.1:${apiPort}` },
        createPageCheck(this.#port),
      ),
    ];
    this.#stopFollowing = followLogs(
      Object.fromEntries(this.#processes.map(({ name, logFile }) => [name, logFile])),
      (line) => console.log(dim(line)),
    );
    await Promise.all(this.#processes.map((managed) => managed.start()));
    this.#stopCompiling = compileOnChange();
  }

  async stop() {
    this.#stopCompiling();
    await Promise.all(this.#processes.map((managed) => managed.stop()));
    this.#stopFollowing();
    await this.#stores?.close();
  }

  killNow() {
    this.#processes.forEach((managed) => managed.kill('SIGKILL'));
    this.#stores?.killNow();
  }

  #createProcess(name, { command, args, cwd }, settings, isReady) {
    const logFile = path.join(localHome, 'logs', `dev-${name}.log`);
    fs.rmSync(logFile, { force: true });
    const env = this.#environment(settings);
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

  #environment(settings) {
    return prepareProductEnvironment({ home: localHome, stores: this.#stores, settings });
  }
}

/** The command that runs a script of the backend, and restarts it when its compiled files change. */
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
