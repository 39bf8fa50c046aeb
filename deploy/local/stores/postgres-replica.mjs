import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { spawnLogged, waitUntilReady } from '../processes/logged-process.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { endProcess } from '../processes/process-identity.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { findPostgresUser } from './postgres-user.mjs';

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'pg_basebackup', 'postgres'];
const ROLE = 'thaw';
const READY_WITHIN_MS = 30_000;
/** SIGQUIT stops PostgreSQL immediately, without a clean shutdown, because the data is deleted anyway. */
const END_STEPS = [
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

/**
 * @typedef {object} Server
 * @property {'primary' | 'replica'} name
 * @property {number} port
 * @property {string} dataFolder
 * @property {import('../processes/process-identity.mjs').ProcessIdentity} [identity]  set while the server runs
 */

/**
 * Finds the newest installed PostgreSQL that includes pg_basebackup. The PostgreSQL of the npm packages lacks it.
 * @returns {string | undefined} the folder of its programs
 */
export function findPostgresProgramFolder() {
  const versions = fs.existsSync(DEBIAN_FOLDER) ? fs.readdirSync(DEBIAN_FOLDER) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(DEBIAN_FOLDER, version, 'bin'))
    .find((folder) => PROGRAMS.every((program) => fs.existsSync(path.join(folder, program))));
}

/**
 * Starts a PostgreSQL server (the primary) and a streaming replica of it. The data of both is deleted by `stop`. Call
 * it only if `findPostgresProgramFolder` finds an installation.
 * @returns {Promise<PostgresPair>}
 */
export async function startPostgresPair() {
  const pair = new PostgresPair(findPostgresProgramFolder());
  try {
    await pair.start();
    return pair;
  } catch (error) {
    await pair.stop();
    throw error;
  }
}

/** A primary and its streaming replica. */
class PostgresPair {
  #programFolder;
  #user = findPostgresUser();
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-replica-'));
  #password = randomBytes(24).toString('hex');
  /** @type {Server | undefined} */
  #primary;
  /** @type {Server | undefined} */
  #replica;

  /** @param {string} programFolder  the result of `findPostgresProgramFolder` */
  constructor(programFolder) {
    this.#programFolder = programFolder;
  }

  /** Address of the primary. */
  get url() {
    return this.#buildUrl(this.#primary.port);
  }

  get replicaUrl() {
    return this.#buildUrl(this.#replica.port);
  }

  async start() {
    this.#changeOwner(this.#folder);
    const [primaryPort, replicaPort] = await findFreePorts(2);
    this.#primary = this.#defineServer('primary', primaryPort);
    this.#replica = this.#defineServer('replica', replicaPort);
    await this.#createPrimaryData();
    await this.#startServer(this.#primary);
    await this.#copyPrimaryData();
    await this.startReplica();
  }

  startReplica() {
    return this.#startServer(this.#replica);
  }

  async stopReplica() {
    await endServer(this.#replica);
  }

  async stop() {
    await endServer(this.#replica);
    await endServer(this.#primary);
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @returns {Server} */
  #defineServer(name, port) {
    return { name, port, dataFolder: path.join(this.#folder, name) };
  }

  async #createPrimaryData() {
    const passwordFile = path.join(this.#folder, 'password');
    fs.writeFileSync(passwordFile, this.#password, { mode: 0o600 });
    this.#changeOwner(passwordFile);
    await this.#run('initdb', [
      `--pgdata=${this.#primary.dataFolder}`,
      `--username=${ROLE}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ]);
  }

  async #copyPrimaryData() {
    await this.#run('pg_basebackup', [
      '--host=127.0.0.1',
      `--port=${this.#primary.port}`,
      `--username=${ROLE}`,
      `--pgdata=${this.#replica.dataFolder}`,
      '--write-recovery-conf', // makes the copy a replica that follows the primary
      '--wal-method=stream',
      '--checkpoint=fast',
      '--no-sync',
    ]);
  }

  /** @param {Server} server */
  async #startServer(server) {
    const { name, port, dataFolder } = server;
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 200,
      // The data is deleted anyway.
      fsync: 'off',
      // A replica that is started again needs the WAL (PostgreSQL's log of changes) written in the meantime.
      wal_keep_size: '256MB',
    };
    const definition = {
      name: `PostgreSQL, ${name}`,
      command: path.join(this.#programFolder, 'postgres'),
      args: [
        '-D',
        dataFolder,
        ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      ...this.#user,
      cwd: this.#folder,
      env: this.#environment,
      logFile: path.join(this.#folder, `${name}.log`),
      isReady: async () => readState(dataFolder) === 'ready',
      readyWithinMs: READY_WITHIN_MS,
    };
    const started = spawnLogged(definition);
    server.identity = started.identity;
    await waitUntilReady(definition, started);
  }

  #run(program, args) {
    return runOrThrow(`${program} failed`, path.join(this.#programFolder, program), args, {
      ...this.#user,
      cwd: this.#folder,
      env: this.#environment,
    });
  }

  get #environment() {
    return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', PGPASSWORD: this.#password };
  }

  /** Gives a file to the user that PostgreSQL runs as, if that is not the launcher's own user. */
  #changeOwner(file) {
    const { uid, gid } = this.#user;
    if (uid !== undefined) fs.chownSync(file, uid, gid);
  }

  #buildUrl(port) {
    return `postgresql://${ROLE}:${this.#password}@127.0.0.1:${port}/postgres`;
  }
}

/** @param {Server | undefined} server  undefined if `start` failed before it defined the server */
async function endServer(server) {
  if (!server?.identity) return;
  await endProcess(server.identity, END_STEPS);
  delete server.identity;
}

/** Reads the state of a server, such as `ready`, from line 8 of PostgreSQL's pid file. */
function readState(dataFolder) {
  try {
    return fs.readFileSync(path.join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim();
  } catch {
    return undefined;
  }
}
