import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { spawnLogged, waitUntilReady } from '../processes/logged-process.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { endProcess } from '../processes/process-identity.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { findPostgresUser } from './postgres-user.mjs';

const READY_WITHIN_MS = 10_000;
/** PgBouncer stores no data, so it is killed immediately. */
const END_STEPS = [{ signal: 'SIGKILL', waitMs: 2_000 }];

/** @returns the path of PgBouncer; undefined where it is not installed */
export const findPgBouncer = () => findProgram(['pgbouncer'], ['/usr/sbin']);

/**
 * Starts a PgBouncer in transaction mode in front of all databases of a PostgreSQL server. Clients connect with the
 * role of `databaseUrl`. The files of PgBouncer are deleted when it stops.
 * @param {{databaseUrl: string, serverConnections?: number}} options
 *   `serverConnections`: maximum number of connections from PgBouncer to each database
 * @returns {Promise<{url: string, stop: () => Promise<void>}>} `url`: address of the same database through PgBouncer
 */
export async function startPgBouncer({ databaseUrl, serverConnections = 50 }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-pgbouncer-'));
  const [port] = await findFreePorts(1);
  const usersFile = path.join(folder, 'users.txt');
  const configurationFile = path.join(folder, 'pgbouncer.ini');
  fs.writeFileSync(usersFile, buildUsersFile(databaseUrl));
  fs.writeFileSync(
    configurationFile,
    buildConfiguration({ databaseUrl, port, usersFile, serverConnections }),
  );
  // Like PostgreSQL, PgBouncer refuses to run as root. `systemUser` is empty unless this process runs as root.
  const systemUser = findPostgresUser();
  if (systemUser.uid !== undefined) {
    for (const file of [folder, usersFile, configurationFile])
      fs.chownSync(file, systemUser.uid, systemUser.gid);
  }
  const definition = {
    name: 'PgBouncer',
    command: findPgBouncer(),
    args: [configurationFile],
    env: process.env,
    // `systemUser` may be unable to enter the current folder of this process.
    cwd: '/',
    ...systemUser,
    logFile: path.join(folder, 'pgbouncer.log'),
    isReady: () => acceptsConnections(port),
    readyWithinMs: READY_WITHIN_MS,
  };
  const started = spawnLogged(definition);
  const stop = async () => {
    await endProcess(started.identity, END_STEPS);
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(definition, started);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: buildPoolerUrl(databaseUrl, port), stop };
}

/** The role of `databaseUrl`, with which clients log in to PgBouncer, and PgBouncer logs in to PostgreSQL. */
function buildUsersFile(databaseUrl) {
  const { username, password } = new URL(databaseUrl);
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  return `${quote(decodeURIComponent(username))} ${quote(decodeURIComponent(password))}\n`;
}

function buildConfiguration({ databaseUrl, port, usersFile, serverConnections }) {
  const { hostname, port: serverPort } = new URL(databaseUrl);
  return `[databases]
* = host=${hostname} port=${serverPort || 5432}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${usersFile}
pool_mode = transaction
max_client_conn = 2000
default_pool_size = ${serverConnections}
server_idle_timeout = 5
`;
}

/** Returns the address of the same database through a pooler on this machine. */
function buildPoolerUrl(databaseUrl, port) {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

function acceptsConnections(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    const settle = (isReady) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
