import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { inRepository } from '../places.mjs';
import { isRunning } from '../processes/process-identity.mjs';
import { endTemporaryHome, makeTemporaryHome } from '../temporary-homes.mjs';

const PATIENCE_MS = 90_000;

/** Launchers that may still run, by their home. */
const launchers = new Map();

/** A home folder for one test. When the test ends, its processes are ended and the folder is deleted. */
export function temporaryHome(test) {
  const home = makeTemporaryHome();
  launchers.set(home, []);
  test.after(async () => {
    // Launchers first: processes of a running launcher do not count as left behind.
    for (const { child, ended } of launchers.get(home)) {
      child.kill('SIGKILL');
      await ended();
    }
    await endTemporaryHome(home);
  });
  return home;
}

/** Starts the launcher as a real process, with stand-ins for the product. */
export function launch({ home, port, replicas = 1, workerRole = 'worker', env = {} }) {
  const script = inRepository('deploy/local/testing/start-with-stand-ins.mjs');
  const launched = launchScript(script, [home, port, replicas, workerRole].map(String), env);
  launchers.get(home).push(launched);
  return launched;
}

/** Starts a script of the launcher as a real process. */
export function launchScript(script, args, env = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const launched = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (launched.output += piece));
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  return Object.assign(launched, {
    ended: () => within(ended, () => `the launcher does not end:\n${launched.output}`),
    says: (text) =>
      until(
        () => launched.output.includes(text),
        () => `no "${text}" in:\n${launched.output}`,
      ),
  });
}

/** Resolves once the condition holds. */
export async function until(condition, complaint = () => 'it did not come true') {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(complaint());
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The identities of the processes recorded as running for a home: those of the product and the stores, by name. */
export function recorded(home) {
  const folder = path.join(home, 'run/processes');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const processes = names.map((name) => [
    name.replace(/^\d+-|\.json$/g, ''),
    readJson(path.join(folder, name))?.process,
  ]);
  const stores = ['postgresql', 'redis'].map((name) => [
    name,
    readJson(path.join(home, `run/${name}.json`))?.process,
  ]);
  const all = [...processes, ...stores].filter(([, identity]) => isRunning(identity));
  return Object.fromEntries(all);
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

async function within(promise, complaint) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint())), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
