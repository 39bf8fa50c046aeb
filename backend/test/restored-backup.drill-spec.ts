/**
 * Performs the drill of docs/operations.md ("Back up and restore") with the processes that `npm start` runs, including
 * its own PostgreSQL and Redis: copies the files of PostgreSQL, deletes a user, restores the copy, and starts the
 * product, which erases the user again. It knows of the deletion from the ledger of erasures, which is stored with the
 * images. `migrate`, which runs at every start, compares the database with this ledger and requests missing erasures.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { deleteTemporaryHome, makeTemporaryHome } from '../../deploy/local/temporary-homes.mjs';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';
import { deleteAccount, dumpTables, waitForReceipt } from '../src/testing/erasure.fixture';
import { ThawVisitor } from '../src/testing/thaw.client';

jest.setTimeout(240_000);

const PASSWORD = 'correct horse';

let home: string;
let stack: Stack | undefined;

/** Starts the product. Empty addresses make it start its own PostgreSQL and Redis in `home`. */
const start = async (): Promise<Stack> =>
  (stack = await startStack({ home, env: { DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'warn' } }));
const stop = async (): Promise<void> => {
  await stack?.stop();
  stack = undefined;
};
const copyFolder = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

beforeAll(() => {
  home = makeTemporaryHome();
});
afterAll(async () => {
  await stop();
  await deleteTemporaryHome(home);
});

/** Copies the files of a running PostgreSQL to `target`. @returns the folder of PostgreSQL's data. */
const backUp = async (databaseUrl: string, target: string): Promise<string> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const queryValue = async (query: string): Promise<string> =>
      (await client.query<{ value: string }>(query)).rows[0]!.value;
    const dataFolder = await queryValue(`SELECT current_setting('data_directory') AS value`);
    await client.query(`SELECT pg_backup_start('drill', true)`);
    copyFolder(dataFolder, target);
    const label = await queryValue('SELECT labelfile AS value FROM pg_backup_stop(false)');
    // The copied write-ahead log lacks what was written later, during the rest of the copy. It is replaced by the
    // current one, which the restored PostgreSQL replays from the position that the file `backup_label` states.
    rmSync(path.join(target, 'pg_wal'), { recursive: true });
    copyFolder(path.join(dataFolder, 'pg_wal'), path.join(target, 'pg_wal'));
    const labelFile = path.join(target, 'backup_label');
    writeFileSync(labelFile, label, { mode: 0o600 });
    // PostgreSQL may run as another user, who has to read the label.
    const { uid, gid } = statSync(dataFolder);
    chownSync(labelFile, uid, gid);
    // This file locks the folder for the process of the running PostgreSQL.
    rmSync(path.join(target, 'postmaster.pid'), { force: true });
    return dataFolder;
  } finally {
    await client.end();
  }
};

/** Returns the tables in which a word occurs. */
const findTablesWith = async (databaseUrl: string, word: string): Promise<string[]> => {
  const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  try {
    return [...(await dumpTables(dataSource))].flatMap(([table, rows]) =>
      rows.includes(word) ? [table] : [],
    );
  } finally {
    await dataSource.destroy();
  }
};

it('erases a deleted user again when a backup is restored, and keeps the other user', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const { url, stores } = await start();
  const ada = await new ThawVisitor([url]).register(`${word}@example.org`, PASSWORD);
  await ada.call('PUT', `/api/user/${ada.user.id}`, { username: word, avatar: null });
  await new ThawVisitor([url]).register('bob@example.org', PASSWORD);
  const backup = path.join(home, 'backup');
  const dataFolder = await backUp(stores.databaseUrl, backup);

  const receiptId = await deleteAccount(ada, PASSWORD);
  const receipt = await waitForReceipt(url, receiptId);
  expect(receipt.content?.reason).toBe('asked');
  expect(await findTablesWith(stores.databaseUrl, word)).toEqual([]);

  await stop();
  rmSync(dataFolder, { recursive: true });
  execFileSync('mv', [backup, dataFolder]);
  rmSync(path.join(home, 'redis'), { recursive: true }); // a restored PostgreSQL needs an empty Redis
  const restored = await start();
  expect(readFileSync(path.join(home, 'logs', 'migrate.log'), 'utf8')).toContain(
    '1 users of a restored backup are erased again',
  );
  const secondReceipt = await waitForReceipt(restored.url, receiptId);
  expect(secondReceipt.content).toMatchObject({
    receiptId,
    userId: ada.user.id,
    reason: 'operator', // not 'asked': the second erasure was requested by the restore
    kept: [], // there is no reason to keep any data, such as an open case
  });
  expect(secondReceipt.content!.erased.sessions).toBe(1); // Ada's login, which the backup contains
  expect(secondReceipt.remaining.total).toBe(0); // items that are still stored about Ada
  expect(await findTablesWith(restored.stores.databaseUrl, word)).toEqual([]);
  const logIn = async (email: string) =>
    (await new ThawVisitor([restored.url]).call('POST', '/api/login', { email, password: PASSWORD })).status;
  expect(await logIn(`${word}@example.org`)).toBe(401);
  expect(await logIn('bob@example.org')).toBe(200);
});
