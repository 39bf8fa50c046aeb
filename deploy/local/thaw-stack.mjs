import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from './launcher-error.mjs';
import { logNothing } from './console.mjs';
import { ensureHome, resolveInRepository } from './paths.mjs';
import { getHttpStatus } from './processes/http-status.mjs';
import { endOrphanedProcesses, ManagedProcess } from './processes/managed-process.mjs';
import { findFreePorts, findPortProblem } from './processes/ports.mjs';
import { runOrThrow } from './processes/run-to-end.mjs';
import { createMigrationSettings, prepareProductEnvironment } from './product-environment.mjs';
import { prepareNginx } from './proxy/nginx.mjs';
import { replicaNodeFlags } from './replica-node-flags.mjs';
import { openStores } from './stores/stores.mjs';
import { deleteTemporaryHome, makeTemporaryHome, saveLogs, sweepTemporaryHomes } from './temporary-homes.mjs';

// After SIGTERM, a replica takes up to 25 s to drain its sockets, and then closes its connections to the stores.
const END_STEPS = [
  { signal: 'SIGTERM', waitMs: 27_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];
const PROXY_END_STEPS = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];
// The page must be served within 10 s (attempts × interval).
const SERVED_ATTEMPTS = 100;
const SERVED_INTERVAL_MS = 100;

const createNodeCommand = (...args) => ({ command: process.execPath, args });

/**
 * Node flags of an api replica that map stack traces to the sources. The preloaded file switches source maps on after
 * the large packages are loaded, since reading their source maps would slow down the start.
 * @param {string} dist  backend/dist of a build; the build of an earlier release has no preload file
 */
const createSourceMapFlags = (dist) => {
  const preload = path.join(dist, 'source-maps.setup.js');
  return fs.existsSync(preload) ? ['--require', preload] : ['--enable-source-maps'];
};

/**
 * Describes the programs of a build of the product.
 * @param {string} dist  the folder backend/dist of the build
 */
export const describePrograms = (dist) => ({
  migrate: createNodeCommand('--enable-source-maps', path.join(dist, 'main.migrate.js')),
  // The flags are chosen when `api` is read: `thawPrograms` is created before the build, which writes the preload file.
  get api() {
    return createNodeCommand(
      ...createSourceMapFlags(dist),
      ...replicaNodeFlags,
      path.join(dist, 'main.api.js'),
    );
  },
  worker: createNodeCommand('--enable-source-maps', path.join(dist, 'main.worker.js')),
});

/** The programs of this checkout's build. */
export const thawPrograms = describePrograms(resolveInRepository('backend/dist'));

/** The command-line tool with which operators appoint moderators. Always that of this checkout's build. */
const moderatorsProgram = createNodeCommand(
  '--enable-source-maps',
  resolveInRepository('backend/dist', 'main.moderators.js'),
);

/**
 * @typedef {object} Replica a process of the product: an api replica, or a worker, which has the same interface
 * @property {string} name             "api-1"
 * @property {number | undefined} pid  of the running process
 * @property {number} internalPort     port of /health/ready and /metrics
 * @property {number} [port]           port on which an api replica serves the API: nginx connects to this port, or
 *   browsers if nginx does not run
 * @property {string} logFile
 * @property {(signal?: string) => void} kill  sends a signal, SIGKILL by default
 * @property {() => Promise<void>} stop        stops the process gracefully, without a restart
 * @property {(program?: {command: string, args: string[]}) => Promise<void>} start  starts a stopped process and
 *   resolves when it is ready; `program` replaces its program, for example by that of another build
 * @property {() => Promise<void>} waitUntilReady  resolves when the current process is ready
 *
 * @typedef {object} Stack
 * @property {string} url              address of the page
 * @property {{page: number, replicas: number[]}} ports
 * @property {Replica[]} replicas
 * @property {Replica[]} workers
 * @property {Replica} [proxy]         nginx, if it runs; without `port` and `internalPort`
 * @property {import('./stores/stores.mjs').Stores} stores
 * @property {string} home             the folder that holds logs/
 * @property {() => Promise<void>} stop  stops all processes gracefully, and deletes a temporary home
 * @property {(email: string) => Promise<void>} appointModerator  makes a registered user a moderator
 * @property {() => void} killNow      kills all processes immediately
 */

/**
 * Starts the built product as real processes: private stores (unless other stores are set), migrations, replicas (api
 * processes), workers, and nginx in front of several replicas. Resolves once the page is served.
 *
 * @param {object} [options]
 * @param {number} [options.replicas]  number of api processes, 1 by default
 * @param {number} [options.workers]   number of worker processes, 1 by default
 * @param {{databaseUrl: string, serviceDatabaseUrl?: string, redisUrl: string}} [options.stores]  by default the stores
 *   of DATABASE_URL and REDIS_URL, or private stores if these variables are not set
 * @param {number} [options.port]      port of the page; a free port by default
 * @param {Record<string, string>} [options.env]  settings of every process; they override the launcher's environment
 * @param {(name: string) => Record<string, string>} [options.createSettings]  settings of one process, by its name;
 *   they override all others
 * @param {(apiPorts: number[]) => Promise<number[]>} [options.routeToReplicas]  maps the ports of the replicas to
 *   the ports nginx connects to, for a proxy between them
 * @param {boolean} [options.isProxied]  runs nginx even in front of a single replica
 * @param {boolean} [options.shouldRestart]  restarts processes that die; true by default
 * @param {string} [options.home]      folder for data and logs; by default a temporary one that `stop` deletes
 * @param {boolean} [options.isDurable]  private stores use fsync; by default only if `home` is set
 * @param {typeof thawPrograms} [options.programs]  programs to run instead of this checkout's build
 * @param {string} [options.page]      folder of the built page
 * @param {(label: string, text: string) => void} [options.logStep]
 * @returns {Promise<Stack>}
 * @throws {LauncherError} when the stack cannot start, after all its processes were stopped
 */
export async function startStack(options = {}) {
  const stack = new ThawStack(options);
  await stack.start();
  return stack;
}

/** @throws {LauncherError} if the port cannot be opened; the message explains how to choose another one */
export async function requireAvailablePort(port) {
  const problem = await findPortProblem(port);
  if (!problem) return;
  const reason =
    problem === 'EACCES' ? 'may only be opened by a privileged user' : 'is taken by another program';
  throw new LauncherError(
    `Port ${port} ${reason}: choose another one, for example npm start -- --port ${port + 1}`,
  );
}

/** The stack that `startStack` returns. Callers that may have to interrupt the start construct it themselves. */
export class ThawStack {
  home;
  replicas = [];
  workers = [];
  // `start` sets the next fields. Without nginx, `proxy` stays undefined.
  stores;
  ports;
  url;
  proxy;
  #options;
  /** Whether the home is a temporary folder, which is deleted when the stack stops. */
  #ownsHome;
  /** Undefined if the caller has passed its own stores, which the stack does not close. */
  #openedStores;
  /** The promise of the first call of `stop`; later calls return it as well. */
  #stopping;

  constructor(options) {
    const { replicas = 1, workers = 1, env = {}, programs = thawPrograms, logStep = logNothing } = options;
    this.#ownsHome = !options.home;
    this.home = options.home ?? makeTemporaryHome();
    this.#options = {
      shouldRestart: true,
      ...options,
      replicas,
      workers,
      env,
      programs,
      logStep,
      pageFolder: options.page ?? resolveInRepository('frontend/dist'),
      isProxied: options.isProxied ?? replicas > 1,
      isDurable: options.isDurable ?? !this.#ownsHome,
    };
  }

  /** Starts the stack. @throws {LauncherError} when the stack cannot start, after all its processes were stopped */
  async start() {
    try {
      await this.#start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #start() {
    const { port, logStep, stores, env, isDurable } = this.#options;
    // Deletes the homes that launchers left behind when they were killed.
    if (this.#ownsHome) await sweepTemporaryHomes(path.dirname(this.home));
    ensureHome(this.home);
    await endOrphanedProcesses(this.home);
    if (port) await requireAvailablePort(port);
    if (!stores) {
      this.#openedStores = await openStores({
        home: this.home,
        env: { ...process.env, ...env },
        isDurable,
        logStep,
      });
    }
    this.stores = stores ?? this.#openedStores;
    await this.#migrate();
    await this.#choosePorts();
    this.url = `http://localhost:${this.ports.page}`;
    this.replicas = this.ports.replicas.map((replicaPort, index) => this.#createReplica(index, replicaPort));
    this.workers = this.ports.workers.map((internalPort, index) => this.#createWorker(index, internalPort));
    await waitForAll([...this.replicas, ...this.workers].map((managedProcess) => managedProcess.start()));
    if (this.#options.isProxied) await this.#startProxy();
    await this.#waitUntilServed();
  }

  /**
   * Makes a pending `start` throw, by ending the processes for which it waits: a process that ends before it is ready
   * is not restarted. Has no effect before these processes exist, for example during the migrations.
   */
  interrupt() {
    this.#sendSignalToAll('SIGTERM');
  }

  /** Stops nginx, then replicas and workers, then the private stores. */
  stop() {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Kills all processes immediately, including the private stores. */
  killNow() {
    this.#sendSignalToAll('SIGKILL');
    this.#openedStores?.killNow();
  }

  /** Makes a registered user a moderator, with the command-line tool for operators. @param {string} email */
  async appointModerator(email) {
    const { command, args } = moderatorsProgram;
    await runOrThrow('The moderator was not appointed', command, [...args, 'add', email], {
      env: this.#buildEnvironment({}),
      logFile: path.join(this.home, 'logs', 'moderators.log'),
    });
  }

  /** Sends a signal to nginx, the replicas and the workers. */
  #sendSignalToAll(signal) {
    for (const managedProcess of [this.proxy, ...this.replicas, ...this.workers])
      managedProcess?.kill(signal);
  }

  async #stop() {
    // On SIGQUIT nginx stops listening but keeps open connections, so the close frames of the replicas reach the
    // clients.
    this.proxy?.disableRestarts();
    this.proxy?.kill('SIGQUIT');
    await Promise.all([...this.replicas, ...this.workers].map((managedProcess) => managedProcess.stop()));
    await this.proxy?.stop();
    await this.#openedStores?.close();
    if (!this.#ownsHome) return;
    saveLogs(this.home);
    await deleteTemporaryHome(this.home);
  }

  async #migrate() {
    await runMigrations({
      program: this.#options.programs.migrate,
      home: this.home,
      stores: this.stores,
      stackSettings: this.#options.env,
      logFile: path.join(this.home, 'logs', 'migrate.log'),
    });
  }

  /** `internal` and `workers` are the internal ports of the replicas and of the workers. */
  async #choosePorts() {
    const { replicas, workers, port, isProxied } = this.#options;
    // One for the page, a public and an internal port for each replica, and an internal port for each worker.
    const freePorts = await findFreePorts(1 + 2 * replicas + workers);
    const takeFreePorts = (count) => freePorts.splice(0, count);
    const [freePagePort] = takeFreePorts(1);
    const pagePort = port ?? freePagePort;
    this.ports = {
      page: pagePort,
      // Without nginx, the only replica serves the page.
      replicas: isProxied ? takeFreePorts(replicas) : [pagePort],
      internal: takeFreePorts(replicas),
      workers: takeFreePorts(workers),
    };
  }

  #createReplica(index, port) {
    const { isProxied, pageFolder, programs } = this.#options;
    const internalPort = this.ports.internal[index];
    const settings = {
      PORT: port,
      // Number of proxies in front of the replica.
      TRUST_PROXY: isProxied ? 1 : 0,
      // Behind nginx, which serves the page, replicas listen on loopback only and serve no API docs by default.
      ...(isProxied
        ? { HOST: '127.0.0.1', API_DOCS: this.#readSetting('API_DOCS') ?? 'off' }
        : { PUBLIC_DIR: pageFolder }),
    };
    const replica = this.#createProcess(`api-${index + 1}`, programs.api, internalPort, settings);
    return Object.assign(replica, { port });
  }

  #createWorker(index, internalPort) {
    return this.#createProcess(`worker-${index + 1}`, this.#options.programs.worker, internalPort, {});
  }

  #createProcess(name, program, internalPort, settings) {
    const definition = {
      ...program,
      name,
      env: this.#buildEnvironment({
        ...settings,
        REPLICA_ID: name,
        INTERNAL_PORT: internalPort,
        ...this.#options.createSettings?.(name),
      }),
      cwd: resolveInRepository(),
      logFile: path.join(this.home, 'logs', `${name}.log`),
      isReady: async () => (await getHttpStatus(`http://127.0.0.1:${internalPort}/health/ready`)) === 200,
      endSteps: END_STEPS,
    };
    return Object.assign(this.#createManagedProcess(definition), { internalPort });
  }

  #createManagedProcess(definition) {
    const { shouldRestart, logStep } = this.#options;
    const onRestart = (message) => logStep('restart', message);
    return new ManagedProcess(definition, { home: this.home, shouldRestart, onRestart });
  }

  async #startProxy() {
    const { pageFolder, routeToReplicas, logStep } = this.#options;
    const definition = await prepareNginx({
      home: this.home,
      port: this.ports.page,
      host: this.#readSetting('HOST'),
      apiPorts: (await routeToReplicas?.(this.ports.replicas)) ?? this.ports.replicas,
      page: pageFolder,
      publicOrigin: this.#readSetting('PUBLIC_ORIGIN'),
      trustedProxies: this.#readSetting('TRUSTED_PROXIES'),
      // The same profile as that of the replicas.
      limitsProfile: this.#buildEnvironment({}).LIMITS_PROFILE,
      logStep,
    });
    this.proxy = this.#createManagedProcess({
      ...definition,
      isReady: () => this.#isPageServed(),
      endSteps: PROXY_END_STEPS,
    });
    await this.proxy.start();
  }

  async #waitUntilServed() {
    for (let attempt = 0; attempt < SERVED_ATTEMPTS; attempt += 1) {
      if (await this.#isPageServed()) return;
      await new Promise((resolve) => setTimeout(resolve, SERVED_INTERVAL_MS));
    }
    throw new LauncherError(
      `Nothing is served at ${this.url}; the logs are in ${path.join(this.home, 'logs')}.`,
    );
  }

  async #isPageServed() {
    const host = this.#readSetting('HOST') ?? '127.0.0.1';
    const status = await getHttpStatus(`http://${host}:${this.ports.page}/`);
    const hasBuiltPage = fs.existsSync(path.join(this.#options.pageFolder, 'index.html'));
    // Without a built page, as in tests with stand-in programs, any response counts.
    return hasBuiltPage ? status === 200 : status !== undefined;
  }

  /** Reads a setting from the option `env`, or else from the environment of this process; undefined if it is empty. */
  #readSetting(name) {
    return this.#options.env[name] || process.env[name] || undefined;
  }

  #buildEnvironment(settings) {
    return prepareProductEnvironment({
      home: this.home,
      stores: this.stores,
      stackSettings: this.#options.env,
      settings,
    });
  }
}

/**
 * Runs the migrations. They connect with the owner's role, because the role of the service may not change the schema.
 * @throws {LauncherError} if they fail
 */
export const runMigrations = ({ program, home, stores, stackSettings, logFile }) =>
  runOrThrow('The migrations failed', program.command, program.args, {
    env: prepareProductEnvironment({
      home,
      stores,
      stackSettings,
      settings: createMigrationSettings(stores),
    }),
    logFile,
  });

/**
 * Waits for all promises and throws the first failure, if any. Unlike `Promise.all`, it does not throw before all have
 * settled: no process may still be starting when the caller stops the stack.
 */
async function waitForAll(promises) {
  const results = await Promise.allSettled(promises);
  const firstFailure = results.find(({ status }) => status === 'rejected');
  if (firstFailure) throw firstFailure.reason;
}
