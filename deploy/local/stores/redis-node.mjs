import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Redis } from 'ioredis';
import { formatUser } from '../../compose/generate-secrets.mjs';
import { spawnLogged, waitUntilReady } from '../processes/logged-process.mjs';
import { endProcess } from '../processes/process-identity.mjs';

const POLL_LIMIT_MS = 30_000;
const POLL_INTERVAL_MS = 50;
/** As many as Redis keeps by default. */
const MAX_ACL_LOG_ENTRIES = 128;
/**
 * No graceful end is needed: the data is deleted afterwards, or a test simulates a crash. `waitMs` limits the wait for
 * the exit.
 */
const END_STEPS = [{ signal: 'SIGKILL', waitMs: 2_000 }];

/** Returns the lines of redis.conf that only servers with data need. Sentinels hold no data. */
export const formatDataSettings = (password) => `masterauth ${password}
save ""
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
`;

/** Returns the line of redis.conf that defines `thaw`, the user of Thaw's processes, as in the compose files. */
export const formatThawUser = (password) => `${formatUser('thaw', password)}\n`;

/** One process of Redis (a server or a Sentinel) with its data folder and a client. */
export class RedisNode {
  #options;
  #process;
  #client;
  isRunning = false;

  /**
   * @param {{program: {command: string, env: Record<string, string>}, folder: string, port: number, password: string,
   *   settings: string, args?: string[]}} options  `folder`: parent of the data folder; `settings`: lines of redis.conf
   */
  constructor(options) {
    this.#options = options;
    this.port = options.port;
  }

  /** Starts the process with the data of its previous run. */
  async start() {
    const { program, folder, port, password, settings, args = [] } = this.#options;
    const dataFolder = path.join(folder, String(port));
    fs.mkdirSync(dataFolder, { recursive: true });
    const configurationFile = path.join(dataFolder, 'redis.conf');
    const commonSettings = `bind 127.0.0.1\nport ${port}\nrequirepass ${password}\ndir "${dataFolder}"\n`;
    fs.writeFileSync(configurationFile, commonSettings + settings, { mode: 0o600 });
    const definition = {
      name: `Redis on port ${port}`,
      command: program.command,
      args: [configurationFile, ...args],
      env: { ...process.env, ...program.env },
      cwd: dataFolder,
      logFile: path.join(dataFolder, 'redis.log'),
      isReady: async () => (await this.call('PING')) === 'PONG',
    };
    this.#process = spawnLogged(definition);
    this.#client = new Redis({
      port,
      host: '127.0.0.1',
      password,
      retryStrategy: () => POLL_INTERVAL_MS,
    });
    // The client reconnects by itself. The error of a command rejects `call`.
    this.#client.on('error', () => undefined);
    await waitUntilReady(definition, this.#process);
    this.isRunning = true;
  }

  /** Sends a command to this node only. */
  call(name, ...parameters) {
    return this.#client.call(name, ...parameters.map(String));
  }

  /** Commands that the ACL denied, as `<user> <command>`. */
  async listDeniedCommands() {
    const entries = await this.call('ACL', 'LOG', MAX_ACL_LOG_ENTRIES);
    return entries.map((entry) => {
      // An entry is a flat list of names, each followed by its value.
      const readField = (name) => entry[entry.indexOf(name) + 1];
      const command = readField('object');
      return `${readField('username')} ${command}`;
    });
  }

  /** The id of this node in its cluster. */
  async readId() {
    return this.call('CLUSTER', 'MYID');
  }

  /** Ends the process with SIGKILL. */
  async kill() {
    this.isRunning = false;
    this.#client?.disconnect();
    await endProcess(this.#process?.identity, END_STEPS);
  }
}

/**
 * Polls until `isTrue` resolves to true.
 * @throws {Error} after `POLL_LIMIT_MS`; its message begins with `problem`
 */
export async function pollUntil(isTrue, problem) {
  const deadline = Date.now() + POLL_LIMIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`${problem} after ${POLL_LIMIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
