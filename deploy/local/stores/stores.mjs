import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { logNothing } from '../console.mjs';
import { ensureFolder, ensureHome } from '../paths.mjs';
import { withFileLock } from '../processes/file-lock.mjs';
import { acceptsConnections } from '../processes/ports.mjs';
import { identify, isRunning } from '../processes/process-identity.mjs';
import { describePostgres } from './postgres.mjs';
import { ensurePostgresFolder } from './postgres-folder.mjs';
import { PrivateStore } from './private-store.mjs';
import { describeRedis } from './redis.mjs';

/** How often a launcher looks for private stores that have died. */
const POLL_INTERVAL_MS = 500;
/** The longest such interval. It grows while a restart fails. */
const MAX_POLL_INTERVAL_MS = 10_000;
// An external store may still be starting, as in a CI job, so the launcher tries several times to connect.
const CONNECT_ATTEMPTS = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const CONNECT_RETRY_DELAY_MS = 500;

/**
 * @typedef {object} Stores
 * @property {string} databaseUrl        address with the role that owns all tables
 * @property {string} [serviceDatabaseUrl]  address with the role of the running service, unless DATABASE_URL is set
 * @property {string} redisUrl
 * @property {() => Promise<void>} close   ends the use of the stores by this process; the last launcher stops private
 *   stores, and their data is kept
 * @property {() => void} killNow          like `close`, but kills the stores without waiting
 */

/**
 * Provides PostgreSQL and Redis. A store is external if DATABASE_URL or REDIS_URL names it. Otherwise the launcher
 * starts a private store, which belongs to the home folder: the data, logs and secrets of a local stack. Launchers with
 * the same home share its private stores. They restart a store that dies, on the same port. The last launcher to close
 * the stores stops them.
 * @param {{home: string, env?: NodeJS.ProcessEnv, isDurable?: boolean,
 *   logStep?: (label: string, text: string) => void}} options  `isDurable`: private stores use fsync
 * @returns {Promise<Stores>}
 * @throws {LauncherError} when a store cannot be reached or started, or the home belongs to another user
 */
export async function openStores({ home, env = process.env, isDurable = true, logStep = logNothing }) {
  const externalUrls = { PostgreSQL: readUrl(env, 'DATABASE_URL'), Redis: readUrl(env, 'REDIS_URL') };
  await refuseUnreachablePostgres(externalUrls.PostgreSQL);
  await refuseUnreachableRedis(externalUrls.Redis);
  ensureOwnHome(home);
  const privateKinds = [];
  if (!externalUrls.PostgreSQL) privateKinds.push(describePostgres(home, { isDurable }));
  if (!externalUrls.Redis) privateKinds.push(describeRedis(home, logStep));
  const privateStores = new PrivateStores(home, privateKinds);
  const privateUrls = await privateStores.open();
  for (const name of ['PostgreSQL', 'Redis']) {
    const privateUrl = privateUrls[name]?.url;
    logStep(name, privateUrl ? `private, ${new URL(privateUrl).host}` : 'the given one');
  }
  return {
    databaseUrl: externalUrls.PostgreSQL || privateUrls.PostgreSQL.url,
    serviceDatabaseUrl: privateUrls.PostgreSQL?.serviceUrl,
    redisUrl: externalUrls.Redis || privateUrls.Redis.url,
    close: () => privateStores.close(),
    killNow: () => privateStores.killNow(),
  };
}

/** Deletes a home folder whose stores are closed, and the data of PostgreSQL if it is in another folder. */
export function deleteHome(home) {
  // PostgreSQL's folder may be outside the home. `ensurePostgresFolder` finds it, but creates it if it is missing.
  for (const folder of [ensurePostgresFolder(home), home])
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Ends the private stores of a home folder if no launcher that uses them still runs, for example after a kill. Takes no
 * lock: the home is to be deleted, so no launcher may open its stores.
 */
export async function endAbandonedStores(home) {
  const kinds = [describePostgres(home, { isDurable: true }), describeRedis(home, logNothing)];
  await new PrivateStores(home, kinds).stopIfUnused();
}

/**
 * Creates the home folder if it is missing.
 * @throws {LauncherError} when the home belongs to another user of the machine
 */
function ensureOwnHome(home) {
  if (tryToEnsureHome(home) && mayUseHome(home)) return;
  throw new LauncherError(`${home} belongs to another user, perhaps from a start as root: delete it first.`);
}

/** @returns whether the folder exists and this process can write to it */
function tryToEnsureHome(home) {
  try {
    fs.accessSync(ensureHome(home), fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the home belongs to the user of this process. Root may use every home. */
function mayUseHome(home) {
  const uid = process.getuid?.();
  return uid === undefined || uid === 0 || fs.statSync(home).uid === uid;
}

/** Reads the address of a store from the variable `name`, or from the file that the variable `<name>_FILE` names. */
function readUrl(env, name) {
  if (env[name]) return env[name];
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  if (!fs.existsSync(file)) throw new LauncherError(`There is no file ${file}, which ${name}_FILE names.`);
  return fs.readFileSync(file, 'utf8').trim();
}

async function refuseUnreachablePostgres(url) {
  if (!url) return;
  await refuseUnreachableServer({ name: 'PostgreSQL', url, variable: 'DATABASE_URL', defaultPort: 5432 });
}

/** Checks the address of a Redis server, or of several nodes, of which at least one must be reachable. */
async function refuseUnreachableRedis(url) {
  if (!url) return;
  const { nodes, nodeList } = parseRedisNodes(url);
  if (nodes.length === 0) {
    await refuseUnreachableServer({ name: 'Redis', url, variable: 'REDIS_URL', defaultPort: 6379 });
    return;
  }
  const results = await Promise.all(nodes.map((node) => isReachable(node)));
  if (!results.includes(true)) throw new LauncherError(`None of ${nodeList} answers, which REDIS_URL names.`);
}

/**
 * Parses the nodes of a Redis Cluster or of Sentinels, such as `redis+cluster://<user>:<password>@a:7000,b:7001`.
 * @returns {{nodes: {host: string, port: number}[], nodeList: string}} no nodes for the address of one server
 */
function parseRedisNodes(url) {
  const pattern = /^rediss?\+(?<kind>cluster|sentinel):\/\/(?:[^@/]*@)?(?<nodeList>[^@/]+)/;
  const { kind, nodeList } = pattern.exec(url)?.groups ?? {};
  if (!kind) return { nodes: [], nodeList: '' };
  const defaultPort = kind === 'cluster' ? 6379 : 26379;
  const nodes = nodeList.split(',').map((node) => {
    // `host`, `host:port` or `[IPv6 address]:port`.
    const [, host, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(node);
    return { host, port: Number(port ?? defaultPort) };
  });
  return { nodes, nodeList };
}

async function refuseUnreachableServer({ name, url, variable, defaultPort }) {
  if (!URL.canParse(url)) throw new LauncherError(`${variable} is not an address.`);
  const { hostname, port, searchParams } = new URL(url);
  // Without a host, or with a path in the parameter `host`, the address names a Unix socket, which is not checked here.
  const isUnixSocket = !hostname || searchParams.get('host')?.startsWith('/');
  if (isUnixSocket) return;
  // An IPv6 address is in brackets.
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
  if (await isReachable(address)) return;
  throw new LauncherError(`No ${name} answers at ${address.host}:${address.port}, which ${variable} names.`);
}

async function isReachable({ host, port }) {
  for (let attempt = 0; attempt < CONNECT_ATTEMPTS; attempt += 1) {
    if (await acceptsConnections(host, port, CONNECT_TIMEOUT_MS)) return true;
    await new Promise((resolve) => setTimeout(resolve, CONNECT_RETRY_DELAY_MS));
  }
  return false;
}

/**
 * The private stores of a home folder, which all launchers that have opened them share. Each launcher writes its
 * identity to a file in `run/users`. With this file, the others notice that a launcher was killed before it could close
 * the stores.
 */
class PrivateStores {
  #stores;
  #launchersFolder;
  #lockFile;
  /** The file of this launcher in `#launchersFolder`. */
  #launcherFile;
  #pollTimer;
  #pollIntervalMs = POLL_INTERVAL_MS;
  #isClosed = false;

  constructor(home, kinds) {
    this.#stores = kinds.map((kind) => new PrivateStore(home, kind));
    this.#lockFile = path.join(home, 'run', 'stores.lock');
    this.#launchersFolder = path.join(home, 'run', 'users');
  }

  /** @returns {Promise<Record<string, {url: string, serviceUrl?: string}>>} the addresses of each store by its name */
  async open() {
    if (this.#stores.length === 0) return {};
    ensureFolder(this.#launchersFolder);
    const fileName = `${process.pid}-${Math.random().toString(36).slice(2)}.json`;
    this.#launcherFile = path.join(this.#launchersFolder, fileName);
    const urls = await withFileLock(this.#lockFile, () => this.#registerAndStart());
    this.#watch();
    return urls;
  }

  /** Ends the use of the stores by this launcher, and stops them if no other launcher runs. */
  async close() {
    if (this.#isClosed || this.#stores.length === 0) return;
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    await withFileLock(this.#lockFile, () => this.#unregisterAndStop());
  }

  /** Like `close`, but kills the stores if no other launcher runs. Waits neither for the lock nor for their end. */
  killNow() {
    if (this.#stores.length === 0) return;
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    if (this.#launcherFile) fs.rmSync(this.#launcherFile, { force: true });
    if (!this.#isUsed()) this.#stores.forEach((store) => store.kill());
  }

  /** Stops the stores if no launcher runs. The caller, other than `endAbandonedStores`, holds the lock. */
  async stopIfUnused() {
    if (this.#isUsed()) return;
    await Promise.all(this.#stores.map((store) => store.stop()));
  }

  async #registerAndStart() {
    fs.writeFileSync(this.#launcherFile, JSON.stringify(identify(process.pid)));
    try {
      return await this.#ensureRunning();
    } catch (error) {
      await this.#unregisterAndStop();
      throw error;
    }
  }

  /** Unregisters this launcher, and stops the stores if no other one runs. */
  async #unregisterAndStop() {
    fs.rmSync(this.#launcherFile, { force: true });
    await this.stopIfUnused();
  }

  async #ensureRunning({ mustKeepPort = false } = {}) {
    const urls = {};
    for (const store of this.#stores) {
      const port = await store.ensureRunning({ mustKeepPort });
      const { name, buildUrl, buildServiceUrl } = store.kind;
      urls[name] = { url: buildUrl(port), serviceUrl: buildServiceUrl?.(port) };
    }
    return urls;
  }

  /** Polls the stores, which may be children of another launcher, and restarts those that died. */
  #watch() {
    this.#pollTimer = setTimeout(async () => {
      const areRunning = this.#stores.every((store) => store.findRunning());
      if (areRunning) this.#pollIntervalMs = POLL_INTERVAL_MS;
      else await this.#tryRestart();
      if (!this.#isClosed) this.#watch();
    }, this.#pollIntervalMs);
    this.#pollTimer.unref();
  }

  async #tryRestart() {
    try {
      await withFileLock(this.#lockFile, async () => {
        // The port must stay the same, because the processes of the product do not read the addresses again.
        if (!this.#isClosed) await this.#ensureRunning({ mustKeepPort: true });
      });
    } catch {
      // The log of the store contains the reason. Back off before the next attempt.
      this.#pollIntervalMs = Math.min(this.#pollIntervalMs * 2, MAX_POLL_INTERVAL_MS);
    }
  }

  /** Whether a registered launcher still runs. Deletes the files of the others. */
  #isUsed() {
    if (!fs.existsSync(this.#launchersFolder)) return false;
    const files = fs.readdirSync(this.#launchersFolder).map((name) => path.join(this.#launchersFolder, name));
    const endedFiles = files.filter((file) => !isRunning(readJson(file)));
    for (const file of endedFiles) fs.rmSync(file, { force: true });
    return endedFiles.length < files.length;
  }
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
