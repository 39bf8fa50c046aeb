import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Complaint } from '../complaint.mjs';
import { sayNothing } from '../console.mjs';
import { folder, homeFolder } from '../places.mjs';
import { underLock } from '../processes/folder-lock.mjs';
import { accepts } from '../processes/ports.mjs';
import { identify, isRunning } from '../processes/process-identity.mjs';
import { postgresDataFolder, postgresKind } from './postgres.mjs';
import { PrivateStore } from './private-store.mjs';
import { redisKind } from './redis.mjs';

const WATCH_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/**
 * @typedef {object} Stores
 * @property {string} databaseUrl        address with the role that owns all tables
 * @property {string} [serviceDatabaseUrl]  address with the role of the running service; absent for a given database
 * @property {string} redisUrl
 * @property {() => Promise<void>} close   releases the stores; the last user stops them, and the data stays
 * @property {() => void} killNow          like `close`, but kills the stores without waiting
 */

/**
 * Provides PostgreSQL and Redis: those of DATABASE_URL and REDIS_URL, and private ones for a variable that is not set.
 * Private stores belong to the home folder. Launchers of one home share them and restart one that dies, on the same
 * port; the last launcher to close them stops them.
 * @param {{home: string, env?: NodeJS.ProcessEnv, isDurable?: boolean, say?: (label: string, text: string) => void}} options
 * @returns {Promise<Stores>}
 */
export async function openStores({ home, env = process.env, isDurable = true, say = sayNothing }) {
  const given = { postgres: givenUrl(env, 'DATABASE_URL'), redis: givenUrl(env, 'REDIS_URL') };
  await mustAnswer('PostgreSQL', given.postgres, 'DATABASE_URL', 5432);
  await mustAnswer('Redis', given.redis, 'REDIS_URL', 6379);
  mustBeWritable(home);
  const kinds = [!given.postgres && postgresKind(home, { isDurable }), !given.redis && redisKind(home, say)];
  const stores = new PrivateStores(home, kinds.filter(Boolean));
  const urls = await stores.open();
  const note = (name, url) => say(name, url ? `private, ${new URL(url).host}` : 'given');
  note('PostgreSQL', urls.PostgreSQL?.url);
  note('Redis', urls.Redis?.url);
  return {
    databaseUrl: given.postgres || urls.PostgreSQL.url,
    serviceDatabaseUrl: urls.PostgreSQL?.serviceUrl,
    redisUrl: given.redis || urls.Redis.url,
    close: () => stores.close(),
    killNow: () => stores.killNow(),
  };
}

/** Deletes a closed home, including data of PostgreSQL that had to be placed in another folder. */
export function deleteHome(home) {
  for (const place of [postgresDataFolder(home), home])
    fs.rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

/** Ends the private stores of a home when none of their users still runs, as after all of them were killed. */
export async function endAbandonedStores(home) {
  const kinds = [postgresKind(home, { isDurable: true }), redisKind(home, sayNothing)];
  await new PrivateStores(home, kinds).stopIfUnused();
}

function mustBeWritable(home) {
  try {
    fs.accessSync(homeFolder(home), fs.constants.W_OK);
    if (process.getuid && process.getuid() !== 0 && fs.statSync(home).uid !== process.getuid())
      throw new Error();
  } catch {
    throw new Complaint(`${home} belongs to somebody else, perhaps from a start as root: delete it first.`);
  }
}

/** Reads an address from the variable, or from the file that `<name>_FILE` names. */
function givenUrl(env, name) {
  if (env[name]) return env[name];
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  if (!fs.existsSync(file)) throw new Complaint(`There is no file ${file}, which ${name}_FILE names.`);
  return fs.readFileSync(file, 'utf8').trim();
}

async function mustAnswer(name, url, variable, defaultPort) {
  if (!url) return;
  if (!URL.canParse(url)) throw new Complaint(`${variable} is not an address.`);
  const { hostname, port, searchParams } = new URL(url);
  // A Unix socket in PostgreSQL's notation: left to its client to check.
  if (!hostname || searchParams.get('host')?.startsWith('/')) return;
  const where = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (await accepts(where.host, where.port, 2_000)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Complaint(`No ${name} answers at ${where.host}:${where.port}, which ${variable} names.`);
}

class PrivateStores {
  #stores;
  #usersFolder;
  #lockFile;
  #userFile;
  #timer;
  #delayMs = WATCH_MS;
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
    folder(this.#usersFolder);
    this.#userFile = path.join(
      this.#usersFolder,
      `${process.pid}-${Math.random().toString(36).slice(2)}.json`,
    );
    const urls = await underLock(this.#lockFile, async () => {
      fs.writeFileSync(this.#userFile, JSON.stringify(identify(process.pid)));
      try {
        return await this.#ensureRunning();
      } catch (error) {
        await this.#leave();
        throw error;
      }
    });
    this.#watch();
    return urls;
  }

  async close() {
    if (this.#isClosed || this.#stores.length === 0) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await underLock(this.#lockFile, () => this.#leave());
  }

  killNow() {
    if (this.#stores.length === 0) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#userFile) fs.rmSync(this.#userFile, { force: true });
    if (this.#otherUsers().length === 0) this.#stores.forEach((store) => store.kill());
  }

  async #ensureRunning(options) {
    const urls = {};
    for (const store of this.#stores) {
      const port = await store.ensureRunning(options);
      const { name, url, serviceUrl } = store.kind;
      urls[name] = { url: url(port), serviceUrl: serviceUrl?.(port) };
    }
    return urls;
  }

  async #leave() {
    fs.rmSync(this.#userFile, { force: true });
    await this.stopIfUnused();
  }

  async stopIfUnused() {
    if (this.#otherUsers().length > 0) return;
    await Promise.all(this.#stores.map((store) => store.stop()));
  }

  /** Polls the stores, which may be children of another launcher, and restarts those that died. */
  #watch() {
    this.#timer = setTimeout(async () => {
      const areRunning = this.#stores.every((store) => store.running());
      if (areRunning) this.#delayMs = WATCH_MS;
      else await this.#revive();
      if (!this.#isClosed) this.#watch();
    }, this.#delayMs);
    this.#timer.unref();
  }

  async #revive() {
    try {
      await underLock(this.#lockFile, async () => {
        if (!this.#isClosed) await this.#ensureRunning({ onSamePort: true });
      });
    } catch {
      // The log of the store holds the reason; back off before the next attempt.
      this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
    }
  }

  #otherUsers() {
    if (!fs.existsSync(this.#usersFolder)) return [];
    return fs.readdirSync(this.#usersFolder).filter((name) => {
      const file = path.join(this.#usersFolder, name);
      const isAlive = isRunning(readJson(file));
      if (!isAlive) fs.rmSync(file, { force: true });
      return isAlive;
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
