/**
 * Performs the drill of docs/operations.md ("Back up and restore") on what `npm start` runs, its own PostgreSQL and
 * Redis included: a copy of PostgreSQL's files, a deletion, the copy put back, and a start, which erases the user
 * again.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { endTemporaryHome, makeTemporaryHome } from '../../deploy/local/temporary-homes.mjs';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';
import { deleteAccount, dumpTables, waitForReceipt } from '../src/testing/erasure.fixture';
import { ThawVisitor } from '../src/testing/thaw.client';

jest.setTimeout(240_000);

const PASSWORD = 'correct horse';

let home: string;
let stack: Stack | undefined;

const start = async (): Promise<Stack> =>
  (stack = await startStack({ home, env: { DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'warn' } }));
const stop = async (): Promise<void> => {
  await stack?.stop();
  stack = undefined;
};
const copy = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

beforeAll(() => {
  home = makeTemporaryHome();
});
afterAll(async () => {
  await stop();
  await endTemporaryHome(home);
});

/** Copies the files of a running PostgreSQL. @returns its folder of data. */
const backUp = async (databaseUrl: string, target: string): Promise<string> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const ask = async (query: string): Promise<string> =>
      (await client.query<{ value: string }>(query)).rows[0]!.value;
    const folder = await ask(`SELECT current_setting('data_directory') AS value`);
    await client.query(`SELECT pg_backup_start('drill', true)`);
    copy(folder, target);
    const label = await ask('SELECT labelfile AS value FROM pg_backup_stop(false)');
    // What was written during the copy is in the log of PostgreSQL, up to the end of the backup.
    rmSync(path.join(target, 'pg_wal'), { recursive: true });
    copy(path.join(folder, 'pg_wal'), path.join(target, 'pg_wal'));
    const labelFile = path.join(target, 'backup_label');
    writeFileSync(labelFile, label, { mode: 0o600 });
    const { uid, gid } = statSync(folder);
    chownSync(labelFile, uid, gid);
    rmSync(path.join(target, 'postmaster.pid'), { force: true });
    return folder;
  } finally {
    await client.end();
  }
};

/** The tables in which a word occurs. */
const findWord = async (databaseUrl: string, word: string): Promise<string[]> => {
  const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  try {
    return [...(await dumpTables(dataSource))].flatMap(([table, rows]) =>
      rows.includes(word) ? [table] : [],
    );
  } finally {
    await dataSource.destroy();
  }
};

it('erases a user again whom a restored backup has brought back, and keeps the others', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const { url, stores } = await start();
  const ada = await new ThawVisitor([url]).register(`${word}@example.org`, PASSWORD);
  await ada.call('PUT', `/api/user/${ada.user.id}`, { username: word, avatar: null });
  await new ThawVisitor([url]).register('bob@example.org', PASSWORD);
  const backup = path.join(home, 'backup');
  const folder = await backUp(stores.databaseUrl, backup);

  const receiptId = await deleteAccount(ada, PASSWORD);
  const first = await waitForReceipt(url, receiptId);
  expect(first.content?.reason).toBe('asked');
  expect(await findWord(stores.databaseUrl, word)).toEqual([]);

  await stop();
  rmSync(folder, { recursive: true });
  execFileSync('mv', [backup, folder]);
  rmSync(path.join(home, 'redis'), { recursive: true });
  const restored = await start();
  expect(readFileSync(path.join(home, 'logs', 'migrate.log'), 'utf8')).toContain(
    '1 users of a restored backup are erased again',
  );
  const second = await waitForReceipt(restored.url, receiptId);
  expect(second.content).toMatchObject({ receiptId, userId: ada.user.id, reason: 'operator', kept: [] });
  expect(second.content!.erased.sessions).toBe(1);
  expect(second.remaining.total).toBe(0);
  expect(await findWord(restored.stores.databaseUrl, word)).toEqual([]);
  const signIn = async (email: string) =>
    (await new ThawVisitor([restored.url]).call('POST', '/api/login', { email, password: PASSWORD })).status;
  expect(await signIn(`${word}@example.org`)).toBe(401);
  expect(await signIn('bob@example.org')).toBe(200);
});
