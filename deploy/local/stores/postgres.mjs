import fs from 'node:fs';
import path from 'node:path';
import { LauncherError } from '../launcher-error.mjs';
import { ensurePrivateFolder, readOrCreateSecret, getSecretPath } from '../paths.mjs';
import { readCommandLine, endProcess, identify } from '../processes/process-identity.mjs';
import { runOrThrow } from '../processes/run-to-end.mjs';
import { locatePostgresBinaries } from './postgres-binaries.mjs';
import { ensurePostgresFolder } from './postgres-folder.mjs';
import { findPostgresUser } from './postgres-user.mjs';

/**
 * The role that owns the cluster (PostgreSQL's term for a data folder with its databases) and everything that
 * migrations create. Earlier releases know no other role.
 */
const OWNER_ROLE = 'thaw';
/** Name of the secret that holds the password of the owner. */
const OWNER_PASSWORD = 'postgres-password';
/** The role of the running service. Migrations grant its permissions. */
const SERVICE_ROLE = 'thaw_service';
/** Name of the secret that holds the password of the service. */
const SERVICE_PASSWORD = 'postgres-service-password';
const DATABASE = 'thaw';

// SIGINT is PostgreSQL's fast shutdown, which disconnects all clients. SIGQUIT stops PostgreSQL immediately; the next
// start then recovers the data.
const END_STEPS = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

/**
 * Describes a private PostgreSQL for a home folder. It listens on loopback only and requires a generated password.
 * @param {string} home
 * @param {{isDurable: boolean, settings?: Record<string, string | number>}} options  `isDurable: false` turns fsync
 *   off, for data that is deleted after a test run; `settings` override those of `createDefaultSettings`
 * @returns {import('./private-store.mjs').StoreKind & {buildUrl: (port: number) => string,
 *   buildServiceUrl: (port: number) => string | undefined}} `buildUrl` builds the address with the owner's role, and
 *   `buildServiceUrl` that with the role of the service
 */
export function describePostgres(home, { isDurable, settings = {} }) {
  return {
    name: 'PostgreSQL',
    // For a graceful stop.
    endSteps: END_STEPS,
    // For an immediate end.
    killSignal: 'SIGQUIT',
    buildUrl: (port) => buildUrl(OWNER_ROLE, readOrCreateSecret(home, OWNER_PASSWORD), port),
    // Undefined while a server that an earlier release has started still runs: it has no such role yet.
    buildServiceUrl: (port) =>
      hasSecret(home, SERVICE_PASSWORD)
        ? buildUrl(SERVICE_ROLE, readOrCreateSecret(home, SERVICE_PASSWORD), port)
        : undefined,
    prepare: async (port) => {
      // PostgreSQL refuses to run as root.
      const user = findPostgresUser();
      const folder = ensurePostgresFolder(home, user);
      const binaries = await locatePostgresBinaries(user, folder);
      const cluster = {
        home,
        user,
        folder,
        data: path.join(folder, 'data'),
        bin: path.join(binaries, 'bin'),
        isDurable,
      };
      if (fs.existsSync(cluster.data)) await prepareExistingCluster(cluster);
      else await createCluster(cluster);
      return {
        name: 'PostgreSQL',
        command: path.join(cluster.bin, 'postgres'),
        args: [
          '-D',
          cluster.data,
          ...toArguments({ ...createDefaultSettings(port, isDurable), ...settings }),
        ],
        ...user,
        cwd: folder,
        env: createCleanEnvironment(),
        logFile: path.join(ensurePrivateFolder(home, 'logs'), 'postgresql.log'),
        isReady: async () => isReady(cluster.data),
      };
    },
  };
}

const buildUrl = (role, password, port) => `postgresql://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
const hasSecret = (home, name) => fs.existsSync(getSecretPath(home, name));

function createDefaultSettings(port, isDurable) {
  const durability = isDurable ? { synchronous_commit: 'on' } : { fsync: 'off', full_page_writes: 'off' };
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    // Keeps the data of users out of the log.
    log_parameter_max_length: 0,
    log_parameter_max_length_on_error: 0,
    // Omits DETAIL and CONTEXT, which quote the values of a refused row.
    log_error_verbosity: 'terse',
    ...durability,
  };
}

const toArguments = (settings) =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

async function prepareExistingCluster(cluster) {
  await refuseOtherVersion(cluster);
  await endUnrecordedServer(cluster);
  // A password is missing if an earlier release created the home, or if the home was deleted while the data was in
  // another folder (see `ensurePostgresFolder`).
  const hasPasswords = [OWNER_PASSWORD, SERVICE_PASSWORD].every((name) => hasSecret(cluster.home, name));
  if (!hasPasswords) await setPasswords(cluster, cluster.data);
}

async function createCluster(cluster) {
  // The folder gets its final name when it is complete, so that an interrupted start leaves no incomplete cluster.
  const unfinishedData = `${cluster.data}.new`;
  fs.rmSync(unfinishedData, { recursive: true, force: true });
  fs.mkdirSync(unfinishedData, { mode: 0o700 });
  changeOwner(cluster.user, unfinishedData);
  await runInitdb(cluster, unfinishedData);
  await runInSingleUserMode(cluster, unfinishedData, `CREATE DATABASE ${DATABASE};`);
  await setPasswords(cluster, unfinishedData);
  fs.renameSync(unfinishedData, cluster.data);
}

/** Fills the folder `data` with an empty cluster of the owner. `initdb` reads the owner's password from a file. */
async function runInitdb(cluster, data) {
  const passwordFile = path.join(cluster.folder, 'initial-password');
  fs.rmSync(passwordFile, { force: true });
  fs.writeFileSync(passwordFile, readOwnerPassword(cluster), { mode: 0o600 });
  changeOwner(cluster.user, passwordFile);
  const args = [
    '-D',
    data,
    '-U',
    OWNER_ROLE,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(cluster.isDurable ? [] : ['--no-sync']),
  ];
  try {
    const options = { ...cluster.user, cwd: cluster.folder, env: createCleanEnvironment() };
    await runOrThrow(
      'PostgreSQL could not create its data folder',
      path.join(cluster.bin, 'initdb'),
      args,
      options,
    );
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

/** Creates the role of the service if it is missing, and sets the passwords of both roles to the stored secrets. */
async function setPasswords(cluster, data) {
  const servicePassword = readOrCreateSecret(cluster.home, SERVICE_PASSWORD);
  const roleIsMissing = `NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${SERVICE_ROLE}')`;
  try {
    await runInSingleUserMode(
      cluster,
      data,
      `DO $$ BEGIN IF ${roleIsMissing} THEN CREATE ROLE ${SERVICE_ROLE} LOGIN; END IF; END $$;`,
      `ALTER ROLE ${SERVICE_ROLE} PASSWORD '${servicePassword}';`,
      `ALTER ROLE ${OWNER_ROLE} PASSWORD '${readOwnerPassword(cluster)}';`,
    );
  } catch (error) {
    // The file with the secret proves that the password is set: without the file, the next start sets both again.
    fs.rmSync(getSecretPath(cluster.home, SERVICE_PASSWORD), { force: true });
    throw error;
  }
}

/** Runs statements in PostgreSQL's single-user mode, because the PostgreSQL in node_modules includes no client. */
async function runInSingleUserMode(cluster, data, ...statements) {
  const input = statements.map((statement) => `${statement}\n`).join('');
  const options = { ...cluster.user, cwd: cluster.folder, env: createCleanEnvironment(), input };
  // The setting keeps the statements, which contain passwords, out of error messages.
  const args = ['--single', '-D', data, '-c', 'log_min_error_statement=panic', 'postgres'];
  const result = await runOrThrow(
    'PostgreSQL could not be set up',
    path.join(cluster.bin, 'postgres'),
    args,
    options,
  );
  // In single-user mode, PostgreSQL continues after a failed statement and exits with code 0.
  if (/\b(ERROR|FATAL|PANIC):/.test(result.output)) {
    throw new LauncherError(`PostgreSQL could not be set up in ${data}:\n${result.output.trim()}`);
  }
}

/** @throws {LauncherError} when another major version of PostgreSQL wrote the data */
async function refuseOtherVersion({ bin, data }) {
  // PG_VERSION holds the major version only, such as `18`.
  const dataVersion = fs.readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  const { output } = await runOrThrow(
    'PostgreSQL cannot be run',
    path.join(bin, 'postgres'),
    ['--version'],
    {},
  );
  const programVersion = /(\d+)/.exec(output)?.[1];
  if (dataVersion !== programVersion) {
    throw new LauncherError(
      `${data} was written by PostgreSQL ${dataVersion}, and this is PostgreSQL ${programVersion}: move that folder away.`,
    );
  }
}

/**
 * Ends a server that uses this data but is not recorded in the home, because its launcher died before it wrote the
 * record of `PrivateStore`. Removes the pid file, because PostgreSQL does not start while a stale pid file exists.
 */
async function endUnrecordedServer({ data }) {
  const pidFile = path.join(data, 'postmaster.pid');
  // Line 1 of the pid file holds the pid.
  const pid = Number(readPidFileLines(data)[0]);
  if (!pid) return;
  // Another process may have the pid of a stale file.
  if (readCommandLine(pid).includes(data)) await endProcess(identify(pid), END_STEPS);
  fs.rmSync(pidFile, { force: true });
}

/** Line 8 of PostgreSQL's pid file holds its state. */
const isReady = (data) => readPidFileLines(data)[7]?.trim() === 'ready';

function readPidFileLines(data) {
  try {
    return fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

const readOwnerPassword = (cluster) => readOrCreateSecret(cluster.home, OWNER_PASSWORD);

/** Makes PostgreSQL's user the owner of the files, if that is not the launcher's own user. */
function changeOwner(user, ...files) {
  if (user.uid === undefined) return;
  for (const file of files) fs.chownSync(file, user.uid, user.gid);
}

/** Creates an environment without variables such as PGDATA and PGPORT, which would configure the server. */
const createCleanEnvironment = () => ({ PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' });
