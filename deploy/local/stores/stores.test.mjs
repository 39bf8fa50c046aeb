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

// Uses real PostgreSQL and Redis.

/** Opens private stores of a home. Each call counts as another user of the stores. */
const openTestStores = (home) => openStores({ home, env: {}, isDurable: false });

test('several users share the stores, and the last user to close them stops them', async (t) => {
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
  const client = new pg.Client({ connectionString: stores.databaseUrl });
  await client.connect();
  await client.query('CREATE TEMPORARY TABLE sample (email text UNIQUE)');
  // Fails the second time, because the column is unique.
  const insert = () => client.query('INSERT INTO sample VALUES ($1)', ['ada@example.org']);
  await insert();
  await assert.rejects(insert, /duplicate key/);
  await assert.rejects(client.query('SELECT $1::json', ['{"a": ada@example.org}']), /json/);
  await client.end();
  await stores.close();
  const log = fs.readFileSync(path.join(home, 'logs/postgresql.log'), 'utf8');
  assert.match(log, /duplicate key value/);
  assert.doesNotMatch(log, /ada@example/);
});

test('the service gets a separate role, even in a home created by a release without that role', async (t) => {
  const home = createTestHome(t);
  const readRole = async (connectionString) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query(
      'SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user',
    );
    await client.end();
    return rows[0];
  };
  const serviceRole = { rolname: 'thaw_service', rolsuper: false };
  const ownerRole = { rolname: 'thaw', rolsuper: true };
  const first = await openTestStores(home);
  assert.deepEqual(await readRole(first.serviceDatabaseUrl), serviceRole);
  // Makes the home look like that of a release without the role: no role and no password.
  const client = new pg.Client({ connectionString: first.databaseUrl });
  await client.connect();
  await client.query('DROP ROLE thaw_service');
  await client.end();
  await first.close();
  fs.rmSync(path.join(home, 'secrets/postgres-service-password'));

  const second = await openTestStores(home);
  assert.deepEqual(await readRole(second.serviceDatabaseUrl), serviceRole);
  // The owner's address still works, so an earlier release can be started on this home again.
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

test('the stores require passwords, which are in private files and on no command line', async (t) => {
  const home = createTestHome(t);
  const stores = await openTestStores(home);
  const url = new URL(stores.redisUrl);
  assert.ok(url.password.length >= 32 && new URL(stores.databaseUrl).password.length >= 32);
  url.password = 'guess';
  assert.match(await sendToRedis(url.href, 'PING'), /WRONGPASS/);
  const rules = fs.readFileSync(path.join(ensurePostgresFolder(home), 'data/pg_hba.conf'), 'utf8');
  // The authentication method is the last word of a rule; every rule requires a password.
  const methods = rules
    .split('\n')
    .filter((line) => /^\w/.test(line))
    .map((line) => line.trim().split(/\s+/).at(-1));
  assert.deepEqual([...new Set(methods)], ['scram-sha-256']);
  for (const name of fs.readdirSync(path.join(home, 'secrets'))) {
    // Other users and groups have no permissions.
    assert.equal(fs.statSync(path.join(home, 'secrets', name)).mode & 0o077, 0);
  }
  for (const { pid } of Object.values(findRunningProcesses(home))) {
    assert.ok(
      !readCommandLine(pid).includes(new URL(stores.redisUrl).password),
      'no password on a command line',
    );
    assert.ok(
      !readCommandLine(pid).includes(new URL(stores.databaseUrl).password),
      'no password on a command line',
    );
  }
  await stores.close();
});

test('other users of the machine cannot read the data of a home', async (t) => {
  const home = createTestHome(t);
  // An earlier release created these folders with these modes.
  for (const name of ['redis', 'logs', 'run']) fs.mkdirSync(path.join(home, name), { mode: 0o755 });
  fs.chmodSync(home, 0o755);
  const stores = await openTestStores(home);
  await sendToRedis(stores.redisUrl, 'SET message private');
  // This file holds only the identity of the process that owns the home.
  assert.deepEqual(listReadableByOthers(home), ['owner.json']);
  // These files contain messages, so they are private even if their folder becomes accessible.
  const appendOnlyFiles = fs.readdirSync(path.join(home, 'redis/appendonlydir'));
  for (const name of appendOnlyFiles) {
    assert.equal(fs.statSync(path.join(home, 'redis/appendonlydir', name)).mode & 0o077, 0, name);
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

/** Lists the files below a folder that every user of the machine can reach and read. */
function listReadableByOthers(folder) {
  // The mode bits 0o001 and 0o004 let all users enter a folder and read a file.
  const canOthersEnter = (fs.statSync(folder).mode & 0o001) !== 0;
  if (!canOthersEnter) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return listReadableByOthers(file).map((name) => path.join(entry.name, name));
    return fs.statSync(file).mode & 0o004 ? [entry.name] : [];
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
