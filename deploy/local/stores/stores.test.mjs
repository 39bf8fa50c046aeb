import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import pg from 'pg';
import { readCommandLine, isRunning } from '../processes/process-identity.mjs';
import { findRunningProcesses, createTestHome, waitUntil } from '../testing/launcher.mjs';
import { ensurePostgresFolder } from './postgres-folder.mjs';
import { openStores } from './stores.mjs';

// Uses real PostgreSQL and Redis. A home is the folder with the data, logs and secrets of a local stack. Its stores are
// private: launchers start them themselves, because the environment names no others.

/** Opens the stores of a home as a launcher does. Each call counts as another launcher. */
const openTestStores = (home) => openStores({ home, env: {}, isDurable: false });

test('launchers with the same home share its stores, and the last one to close them stops them', async (t) => {
  const home = createTestHome(t);
  const first = await openTestStores(home);
  const second = await openTestStores(home);
  assert.equal(second.databaseUrl, first.databaseUrl);
  assert.equal(second.redisUrl, first.redisUrl);
  await first.close();
  assert.deepEqual(Object.keys(findRunningProcesses(home)), ['postgresql', 'redis']);
  await second.close();
  assert.deepEqual(findRunningProcesses(home), {});
});

test('the log of PostgreSQL contains no values of a refused statement', async (t) => {
  const home = createTestHome(t);
  const stores = await openTestStores(home);
  await withDatabase(stores.databaseUrl, async (client) => {
    await client.query('CREATE TEMPORARY TABLE sample (email text UNIQUE)');
    // Fails the second time, because the column is unique.
    const insert = () => client.query('INSERT INTO sample VALUES ($1)', ['ada@example.org']);
    await insert();
    await assert.rejects(insert, /duplicate key/);
    await assert.rejects(client.query('SELECT $1::json', ['{"a": ada@example.org}']), /json/);
  });
  await stores.close();
  const log = fs.readFileSync(path.join(home, 'logs/postgresql.log'), 'utf8');
  assert.match(log, /duplicate key value/);
  assert.doesNotMatch(log, /ada@example/);
});

const ownerRole = { rolname: 'thaw', rolsuper: true };
const serviceRole = { rolname: 'thaw_service', rolsuper: false };

test('the service gets a database role of its own, without the rights of the owner', async (t) => {
  const stores = await openTestStores(createTestHome(t));
  assert.deepEqual(await readRole(stores.databaseUrl), ownerRole);
  assert.deepEqual(await readRole(stores.serviceDatabaseUrl), serviceRole);
  await stores.close();
});

test('a home of a release without the service role gets that role, and keeps the address of the owner', async (t) => {
  const home = createTestHome(t);
  const first = await openTestStores(home);
  // Such a home has neither the role nor its password.
  await withDatabase(first.databaseUrl, (client) => client.query('DROP ROLE thaw_service'));
  await first.close();
  fs.rmSync(path.join(home, 'secrets/postgres-service-password'));

  const second = await openTestStores(home);
  assert.deepEqual(await readRole(second.serviceDatabaseUrl), serviceRole);
  // The earlier release connects as the owner, so it can be started on this home again.
  assert.equal(second.databaseUrl, first.databaseUrl);
  assert.deepEqual(await readRole(second.databaseUrl), ownerRole);
  await second.close();
});

test('the stores keep their ports across a stop, and Redis keeps its data', async (t) => {
  const home = createTestHome(t);
  const before = await openTestStores(home);
  assert.match(await sendToRedis(before.redisUrl, 'SET frost melts'), /OK/);
  await before.close();
  const after = await openTestStores(home);
  assert.match(await sendToRedis(after.redisUrl, 'GET frost'), /melts/);
  assert.deepEqual([after.databaseUrl, after.redisUrl], [before.databaseUrl, before.redisUrl]);
  await after.close();
});

test('PostgreSQL starts despite a pid file of a crashed server, and does not end another process with that pid', async (t) => {
  const home = createTestHome(t);
  const before = await openTestStores(home);
  await before.close();
  // The file now contains the pid of this test process, so the test fails if that process is ended.
  const pidFile = path.join(ensurePostgresFolder(home), 'data/postmaster.pid');
  fs.writeFileSync(pidFile, `${process.pid}\n`);
  const after = await openTestStores(home);
  assert.ok(findRunningProcesses(home).postgresql);
  await after.close();
});

test('a PostgreSQL that runs without a record is ended before another one starts on the same data', async (t) => {
  const home = createTestHome(t);
  const before = await openTestStores(home);
  const { postgresql } = findRunningProcesses(home);
  // Deletes the record by which launchers find the running process.
  fs.rmSync(path.join(home, 'run/postgresql.json'));
  const after = await openTestStores(home);
  assert.notEqual(findRunningProcesses(home).postgresql.pid, postgresql.pid);
  await waitUntil(() => !isRunning(postgresql));
  await before.close();
  await after.close();
});

test('the stores require long passwords', async (t) => {
  const home = createTestHome(t);
  const stores = await openTestStores(home);
  for (const address of [stores.databaseUrl, stores.redisUrl]) {
    assert.ok(readPassword(address).length >= 32);
  }
  const wrongAddress = new URL(stores.redisUrl);
  wrongAddress.password = 'guess';
  assert.match(await sendToRedis(wrongAddress.href, 'PING'), /WRONGPASS/);
  const rules = fs.readFileSync(path.join(ensurePostgresFolder(home), 'data/pg_hba.conf'), 'utf8');
  // The authentication method is the last word of a rule; every rule requires a password.
  const methods = rules
    .split('\n')
    .filter((line) => /^\w/.test(line))
    .map((line) => line.trim().split(/\s+/).at(-1));
  assert.deepEqual([...new Set(methods)], ['scram-sha-256']);
  await stores.close();
});

test('the passwords of the stores are in private files and on no command line', async (t) => {
  const home = createTestHome(t);
  const stores = await openTestStores(home);
  const secrets = path.join(home, 'secrets');
  for (const name of fs.readdirSync(secrets)) assert.ok(isPrivate(path.join(secrets, name)), name);
  for (const [name, { pid }] of Object.entries(findRunningProcesses(home))) {
    for (const address of [stores.databaseUrl, stores.redisUrl]) {
      assert.ok(!readCommandLine(pid).includes(readPassword(address)), `a password of ${name}`);
    }
  }
  await stores.close();
});

test('other users of the machine cannot read the data of a home, even if an earlier release created it', async (t) => {
  const home = createTestHome(t);
  // That release let all users enter these folders and list them.
  for (const name of ['redis', 'logs', 'run']) fs.mkdirSync(path.join(home, name), { mode: 0o755 });
  fs.chmodSync(home, 0o755);
  const stores = await openTestStores(home);
  await sendToRedis(stores.redisUrl, 'SET message private');
  // This file contains only the pid and the start time of the process that created the home.
  assert.deepEqual(listReadableByOthers(home), ['owner.json']);
  // These files contain messages, so they are private even if their folder becomes accessible.
  const appendOnlyFolder = path.join(home, 'redis/appendonlydir');
  for (const name of fs.readdirSync(appendOnlyFolder)) {
    assert.ok(isPrivate(path.join(appendOnlyFolder, name)), name);
  }
  await stores.close();
});

test('a store that cannot start fails with its last log lines, and no process is left running', async (t) => {
  const home = createTestHome(t);
  await (await openTestStores(home)).close();
  const invalidSetting = '\nfrost = = 1\n';
  fs.appendFileSync(path.join(ensurePostgresFolder(home), 'data/postgresql.conf'), invalidSetting);
  await assert.rejects(openTestStores(home), (error) => {
    assert.equal(error.name, 'LauncherError');
    assert.match(error.message, /^PostgreSQL did not start: exit code 1\..*\n[^]*syntax error/);
    return true;
  });
  assert.deepEqual(findRunningProcesses(home), {});
});

test('the stores start again after all their processes were killed', async (t) => {
  const home = createTestHome(t);
  const before = await openTestStores(home);
  const killed = Object.values(findRunningProcesses(home));
  killed.forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
  await waitUntil(() => !killed.some(isRunning));
  const after = await openTestStores(home);
  assert.deepEqual(Object.keys(findRunningProcesses(home)), ['postgresql', 'redis']);
  await before.close();
  await after.close();
});

/** Connects to PostgreSQL for the duration of `use`. @returns the result of `use` */
async function withDatabase(connectionString, use) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Reads the role that an address of PostgreSQL connects as. */
async function readRole(connectionString) {
  const { rows } = await withDatabase(connectionString, (client) =>
    client.query('SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user'),
  );
  return rows[0];
}

const readPassword = (address) => new URL(address).password;

/** Whether the mode of a file gives permissions to its owner only. */
const isPrivate = (file) => (fs.statSync(file).mode & 0o077) === 0;
/** Whether the mode of a folder lets all users enter it. */
const canOthersEnter = (folder) => (fs.statSync(folder).mode & 0o001) !== 0;
/** Whether the mode of a file lets all users read it. */
const canOthersRead = (file) => (fs.statSync(file).mode & 0o004) !== 0;

/** Lists the files below a folder that every user of the machine can reach and read. */
function listReadableByOthers(folder) {
  if (!canOthersEnter(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return listReadableByOthers(file).map((name) => path.join(entry.name, name));
    return canOthersRead(file) ? [entry.name] : [];
  });
}

/** Authenticates with the password of the address and sends a command. @returns all replies */
function sendToRedis(address, command) {
  const { hostname, port, username, password } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: hostname, port: Number(port) });
    let replies = '';
    socket.on('data', (chunk) => (replies += chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(replies));
    socket.end(`AUTH ${username} ${password}\r\n${command}\r\nQUIT\r\n`);
  });
}
