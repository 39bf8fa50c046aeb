import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { resolveInRepository } from '../paths.mjs';
import { isRunning } from '../processes/process-identity.mjs';
import { deleteTemporaryHome, makeTemporaryHome } from '../temporary-homes.mjs';

// Functions for tests that run the launcher (`npm start`) as a real process.

const TIMEOUT_MS = 90_000;
const POLL_INTERVAL_MS = 25;

/** The launchers that tests have started, by their home folder. */
const launchersByHome = new Map();

/**
 * Creates a home folder (data, logs and secrets of a local stack) for one test. When the test ends, the processes of
 * the home are ended and the folder is deleted.
 * @param {import('node:test').TestContext} test
 */
export function createTestHome(test) {
  const home = makeTemporaryHome();
  launchersByHome.set(home, []);
  test.after(async () => {
    // `deleteTemporaryHome` does not end processes whose launcher still runs, so the launchers are killed first.
    for (const { child, waitForExit } of launchersByHome.get(home)) {
      child.kill('SIGKILL');
      await waitForExit();
    }
    await deleteTemporaryHome(home);
  });
  return home;
}

/**
 * Starts the launcher as a real process. It runs stand-ins instead of the programs of the product.
 * @param options  `workerStandIn`: which of the `standIns` in stand-ins.mjs runs as the worker
 */
export function startLauncher({ home, port, replicas = 1, workerStandIn = 'worker', env = {} }) {
  const script = resolveInRepository('deploy/local/testing/start-with-stand-ins.mjs');
  const launcher = startScript(script, [home, port, replicas, workerStandIn].map(String), env);
  launchersByHome.get(home).push(launcher);
  return launcher;
}

/**
 * Starts a script of the launcher as a real process. Unless `env` has addresses of stores, the launcher starts a
 * PostgreSQL and a Redis of its own. Only processes of `startLauncher` are ended when the test ends.
 * @param {string[]} args
 */
export function startScript(script, args, env = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const launcher = {
    child,
    output: '',
    waitForExit: () => withTimeout(exited, () => `the launcher does not end:\n${launcher.output}`),
    waitForOutput: (text) =>
      waitUntil(
        () => launcher.output.includes(text),
        () => `no "${text}" in:\n${launcher.output}`,
      ),
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (launcher.output += chunk));
  return launcher;
}

/** Polls until the condition is true. @throws {Error} with the explanation after 90 s */
export async function waitUntil(condition, explain = () => 'the condition did not become true in time') {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(explain());
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/**
 * Finds the running processes that are recorded under a home.
 * @returns the identities (pid and start time) of the product's processes and of the stores, by name
 */
export function findRunningProcesses(home) {
  const folder = path.join(home, 'run/processes');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const processes = names.map((name) => [
    // The name of a record is `<pid of the launcher>-<name of the process>.json`.
    name.replace(/^\d+-/, '').replace(/\.json$/, ''),
    readJson(path.join(folder, name))?.process,
  ]);
  const stores = ['postgresql', 'redis'].map((name) => [
    name,
    readJson(path.join(home, `run/${name}.json`))?.process,
  ]);
  const running = [...processes, ...stores].filter(([, identity]) => isRunning(identity));
  return Object.fromEntries(running);
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    // The launcher is writing the file, or has deleted it.
    return undefined;
  }
}

async function withTimeout(promise, explain) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(explain())), TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
