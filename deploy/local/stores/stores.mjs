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

const POLL_INTERVAL_MS = 500;
// A store of DATABASE_URL or REDIS_URL may still be starting, as in a CI job, so the launcher tries several times.
const CONNECT_ATTEMPTS = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const CONNECT_RETRY_DELAY_MS = 500;
/** Longest delay between two attempts to restart a store that died. */
const LONGEST_DELAY_MS = 10_000;

/**
 * @typedef {object} Stores
 * @property {string} databaseUrl        address with the role that owns all tables
 * @property {string} [serviceDatabaseUrl]  address with the role of the running service, unless DATABASE_URL is set
 * @property {string} redisUrl
 * @property {() => Promise<void>} close   ends the use of the stores by this process; the last user stops the stores,
 *   and their data is kept
 * @property {() => void} killNow          like `close`, but kills the stores without waiting
 */

/**
 * Provides PostgreSQL and Redis: the stores of DATABASE_URL and REDIS_URL, or a private store if the variable is not
 * set. Private stores belong to the home folder, which holds the data, logs and secrets of a local stack. Launchers
 * with the same home folder share the private stores. If a store dies, they restart it on the same port. The last
 * launcher to close the stores stops them.
 * @param {{home: string, env?: NodeJS.ProcessEnv, isDurable?: boolean,
 *   logStep?: (label: string, text: string) => void}} options  `isDurable`: private stores use fsync
 * @returns {Promise<Stores>}
 * @throws {LauncherError} when a store cannot be reached or started, or the home belongs to another user
 */
export async function openStores({ home, env = process.env, isDurable = true, logStep = logNothing }) {
  const externalUrls = { PostgreSQL: readUrl(env, 'DATABASE_URL'), Redis: readUrl(env, 'REDIS_URL') };
  await refuseUnreachableStore('PostgreSQL', externalUrls.PostgreSQL, 'DATABASE_URL', 5432);
  await refuseUnreachableRedis(externalUrls.Redis);
  ensureOwnHome(home);
  const kinds = [
    !externalUrls.PostgreSQL && describePostgres(home, { isDurable }),
    !externalUrls.Redis && describeRedis(home, logStep),
  ];
  const stores = new PrivateStores(home, kinds.filter(Boolean));
  const urls = await stores.open();
  const logStore = (name, url) => logStep(name, url ? `private, ${new URL(url).host}` : 'the given one');
  logStore('PostgreSQL', urls.PostgreSQL?.url);
  logStore('Redis', urls.Redis?.url);
  return {
    databaseUrl: externalUrls.PostgreSQL || urls.PostgreSQL.url,
    serviceDatabaseUrl: urls.PostgreSQL?.serviceUrl,
    redisUrl: externalUrls.Redis || urls.Redis.url,
    close: () => stores.close(),
    killNow: () => stores.killNow(),
  };
}

/** Deletes a home folder whose stores are closed, and the data of PostgreSQL if it is in another folder. */
export function deleteHome(home) {
  // `ensurePostgresFolder` also finds a folder outside the home. A missing folder is created and deleted again.
  for (const folder of [ensurePostgresFolder(home), home])
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Ends the private stores of a home folder if no launcher that uses them still runs, for example after a kill. */
export async function endAbandonedStores(home) {
  const kinds = [describePostgres(home, { isDurable: true }), describeRedis(home, logNothing)];
  await new PrivateStores(home, kinds).stopIfUnused();
}

/**
 * Creates the home folder if it is missing.
 * @throws {LauncherError} when the home belongs to another user of the machine; root may use every home
 */
function ensureOwnHome(home) {
  let isOwn = false;
  try {
    fs.accessSync(ensureHome(home), fs.constants.W_OK);
    const uid = process.getuid?.();
    isOwn = uid === undefined || uid === 0 || fs.statSync(home).uid === uid;
  } catch {
    // The launcher cannot create the folder or cannot write to it.
  }
  if (!isOwn)
    throw new LauncherError(
      `${home} belongs to another user, perhaps from a start as root: delete it first.`,
    );
}

/** Reads the address of a store from the variable `name`, or from the file that the variable `<name>_FILE` names. */
function readUrl(env, name) {
  if (env[name]) return env[name];
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  if (!fs.existsSync(file)) throw new LauncherError(`There is no file ${file}, which ${name}_FILE names.`);
  return fs.readFileSync(file, 'utf8').trim();
}

async function refuseUnreachableStore(name, url, variable, defaultPort) {
  if (!url) return;
  if (!URL.canParse(url)) throw new LauncherError(`${variable} is not an address.`);
  const { hostname, port, searchParams } = new URL(url);
  // Without a host, or with a path in the parameter `host`, the address names a Unix socket, which is not checked here.
  if (!hostname || searchParams.get('host')?.startsWith('/')) return;
  // An IPv6 address is in brackets.
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
  if (await isReachable(address)) return;
  throw new LauncherError(`No ${name} answers at ${address.host}:${address.port}, which ${variable} names.`);
}

/**
 * Checks the address of a Redis server, a Redis Cluster or Sentinels. Of several nodes, at least one must be reachable.
 */
async function refuseUnreachableRedis(url) {
  const [, kind, hosts] = /^rediss?\+(cluster|sentinel):\/\/(?:[^@/]*@)?([^@/]+)/.exec(url ?? '') ?? [];
  if (!kind) return refuseUnreachableStore('Redis', url, 'REDIS_URL', 6379);
  const defaultPort = kind === 'cluster' ? 6379 : 26379;
  const areReachable = await Promise.all(
    hosts.split(',').map((node) => {
      // `host`, `host:port` or `[IPv6 address]:port`.
      const [, host, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(node);
      return isReachable({ host, port: Number(port ?? defaultPort) });
    }),
  );
  if (!areReachable.includes(true))
    throw new LauncherError(`None of ${hosts} answers, which REDIS_URL names.`);
}

async function isReachable({ host, port }) {
  for (let attempt = 0; attempt < CONNECT_ATTEMPTS; attempt += 1) {
    if (await acceptsConnections(host, port, CONNECT_TIMEOUT_MS)) return true;
    await new Promise((resolve) => setTimeout(resolve, CONNECT_RETRY_DELAY_MS));
  }
  return false;
}

/**
 * The private stores of a home folder, shared by all launchers that have opened them. In this class, a user is such a
 * launcher. Each user records its identity in a file in `run/users`, so that users that were killed can be ignored. The
 * last user to close the stores stops them.
 */
class PrivateStores {
  #stores;
  #usersFolder;
  #lockFile;
  /** The file of this process in `#usersFolder`. */
  #userFile;
  #pollTimer;
  #pollDelayMs = POLL_INTERVAL_MS;
  #isClosed = false;

  constructor(home, kinds) {
    this.home = home;
    this.#stores = kinds.map((kind) => new PrivateStore(home, kind));
    this.#lockFile = path.join(home, 'run', 'stores.lock');
    this.#usersFolder = path.join(home, 'run', 'users');
  }

  /** @returns {Promise<Record<string, {url: string, serviceUrl?: string}>>} the addresses of each store by its name */
  async open() {
    if (this.#stores.length === 0) return {};
    ensureFolder(this.#usersFolder);
    this.#userFile = path.join(
      this.#usersFolder,
      `${process.pid}-${Math.random().toString(36).slice(2)}.json`,
    );
    const urls = await withFileLock(this.#lockFile, async () => {
      fs.writeFileSync(this.#userFile, JSON.stringify(identify(process.pid)));
      try {
        return await this.#ensureRunning();
      } catch (error) {
        await this.#removeUser();
        throw error;
      }
    });
    this.#watch();
    return urls;
  }

  /** Ends the use of the stores by this process, and stops them if no other user runs. */
  async close() {
    if (this.#isClosed || this.#stores.length === 0) return;
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    await withFileLock(this.#lockFile, () => this.#removeUser());
  }

  /** Like `close`, but kills the stores if no other user runs, and does not wait for the lock or for their end. */
  killNow() {
    if (this.#stores.length === 0) return;
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    if (this.#userFile) fs.rmSync(this.#userFile, { force: true });
    if (this.#findRunningUsers().length === 0) this.#stores.forEach((store) => store.kill());
  }

  async #ensureRunning(options) {
    const urls = {};
    for (const store of this.#stores) {
      const port = await store.ensureRunning(options);
      const { name, buildUrl, buildServiceUrl } = store.kind;
      urls[name] = { url: buildUrl(port), serviceUrl: buildServiceUrl?.(port) };
    }
    return urls;
  }

  async #removeUser() {
    fs.rmSync(this.#userFile, { force: true });
    await this.stopIfUnused();
  }

  /** Stops the stores if no user runs. The caller must hold the lock, or be the only process that knows the home. */
  async stopIfUnused() {
    if (this.#findRunningUsers().length > 0) return;
    await Promise.all(this.#stores.map((store) => store.stop()));
  }

  /** Polls the stores, which may be children of another launcher, and restarts those that died. */
  #watch() {
    this.#pollTimer = setTimeout(async () => {
      const areRunning = this.#stores.every((store) => store.findRunning());
      if (areRunning) this.#pollDelayMs = POLL_INTERVAL_MS;
      else await this.#restart();
      if (!this.#isClosed) this.#watch();
    }, this.#pollDelayMs);
    this.#pollTimer.unref();
  }

  async #restart() {
    try {
      await withFileLock(this.#lockFile, async () => {
        // The processes of the product do not read the addresses again.
        if (!this.#isClosed) await this.#ensureRunning({ mustKeepPort: true });
      });
    } catch {
      // The log of the store contains the reason. Back off before the next attempt.
      this.#pollDelayMs = Math.min(this.#pollDelayMs * 2, LONGEST_DELAY_MS);
    }
  }

  /** @returns the names of the files of users that still run. Deletes the files of the others. */
  #findRunningUsers() {
    if (!fs.existsSync(this.#usersFolder)) return [];
    return fs.readdirSync(this.#usersFolder).filter((name) => {
      const file = path.join(this.#usersFolder, name);
      const isUserRunning = isRunning(readJson(file));
      if (!isUserRunning) fs.rmSync(file, { force: true });
      return isUserRunning;
    });
  }
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
