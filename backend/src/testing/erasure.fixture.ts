import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ERASURE_CONFIRMATION, type Receipt } from '@thaw/contract/my-data';
import type { DataSource } from 'typeorm';
import type { TestRedis } from './test-redis.harness';
import { startTestStack, type TestStack } from './test-stack.harness';
import { startTestS3 } from './test-s3.harness';
import { ThawVisitor } from './thaw.client';
import { until } from './until.functions';

/** A new key with which the product signs the receipts of erasures, as PEM. */
export const createReceiptKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Stores uploads and the ledger of erasures as files in a temporary folder. */
interface TestStorage {
  directory: string;
  /** Environment variables of a process that uses this storage. */
  settings: Record<string, string>;
  close(): Promise<void>;
}

const openStorage = async (): Promise<TestStorage> => {
  // VersityGW is an S3 server that stores objects as files, so tests can search its folder for remains of a user.
  if (process.env.VERSITYGW_PATH) return startTestS3();
  const directory = await mkdtemp(path.join(tmpdir(), 'thaw-erasures-'));
  return {
    directory,
    settings: { STORAGE_DIR: directory },
    close: () => rm(directory, { recursive: true, force: true }),
  };
};

/** Replicas that can erase users. */
export interface TestErasures {
  stack: TestStack;
  /** Environment variables of the replicas. Tests also start other processes with them, such as a worker. */
  settings: Record<string, string>;
  /** The folder with the files of the storage. */
  folder: string;
  close(): Promise<void>;
}

export const startTestErasures = async (
  replicas: number,
  extraSettings: Record<string, string> = {},
): Promise<TestErasures> => {
  const storage = await openStorage();
  const settings = { RECEIPT_KEY: createReceiptKey(), ...storage.settings, ...extraSettings };
  const stack = await startTestStack(replicas, settings);
  return {
    stack,
    settings,
    folder: storage.directory,
    async close() {
      await stack.close();
      await storage.close();
    },
  };
};

/**
 * Deletes the account of an anonymous user, or of a registered one with a password.
 * @returns the id of the receipt
 */
export const deleteAccount = async (visitor: ThawVisitor, currentPassword?: string): Promise<string> => {
  const body = currentPassword === undefined ? { confirm: ERASURE_CONFIRMATION } : { currentPassword };
  const response = await visitor.call('POST', `/api/user/${visitor.user.id}/erasure`, body);
  if (response.status !== 202) throw new Error(`The deletion was answered with ${response.status}`);
  return String(response.body.receiptId);
};

export const readReceipt = async (origin: string, receiptId: string): Promise<Receipt> =>
  (await new ThawVisitor([origin]).call('GET', `/api/receipts/${receiptId}`)).body as unknown as Receipt;

const MAX_WAIT_MS = 60_000;

/** Waits until the erasure is done. */
export const waitForReceipt = (origin: string, receiptId: string): Promise<Receipt> =>
  until(
    () => readReceipt(origin, receiptId),
    ({ state }) => state === 'done',
    MAX_WAIT_MS,
  );

/** The rows of every table as text, by table. */
export const dumpTables = async (dataSource: DataSource): Promise<ReadonlyMap<string, string>> => {
  // Ordinary ('r') and partitioned tables ('p'), without the partitions.
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const dumped = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" AS t`);
    dumped.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return dumped;
};

/** Every key in Redis with its value, as text. */
export const dumpRedis = async ({ redis }: Pick<TestRedis, 'redis'>): Promise<string> => {
  const lines: string[] = [];
  for (const key of await redis.keys('*')) {
    lines.push(`${key} ${JSON.stringify(await readValue(redis, key))}`);
  }
  return lines.join('\n');
};

/** @returns undefined if the key has expired meanwhile */
const readValue = async (redis: TestRedis['redis'], key: string): Promise<unknown> => {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES');
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return undefined;
  }
};

/** The names and contents of all files below a folder. */
export const dumpFiles = async (folder: string): Promise<string> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return `${path.relative(folder, file)} ${await readFile(file, 'latin1')}`;
    }),
  );
  return contents.join('\n');
};
