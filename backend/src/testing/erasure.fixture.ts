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

/** Replicas that can erase users, with their uploads in a temporary folder. */
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
  // VersityGW is an S3 server that stores objects as files, so tests can search its folder for remains of a user.
  const s3 = process.env.VERSITYGW_PATH ? await startTestS3() : null;
  const folder = s3?.directory ?? (await mkdtemp(path.join(tmpdir(), 'thaw-erasures-')));
  const storage: Record<string, string> = s3?.settings ?? { STORAGE_DIR: folder };
  const settings = { RECEIPT_KEY: createReceiptKey(), ...storage, ...extraSettings };
  const stack = await startTestStack(replicas, settings);
  return {
    stack,
    settings,
    folder,
    async close() {
      await stack.close();
      await s3?.close();
      await rm(folder, { recursive: true, force: true });
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

const ERASURE_WITHIN_MS = 60_000;

/** Waits until the erasure is done. */
export const waitForReceipt = (origin: string, receiptId: string): Promise<Receipt> =>
  until(
    () => readReceipt(origin, receiptId),
    ({ state }) => state === 'done',
    ERASURE_WITHIN_MS,
  );

/** The rows of every table as text, by table. Partitions are omitted: their partitioned table ("p") has their rows. */
export const dumpTables = async (dataSource: DataSource): Promise<ReadonlyMap<string, string>> => {
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
    const readersByType: Record<string, () => Promise<unknown>> = {
      string: () => redis.get(key),
      hash: () => redis.hgetall(key),
      set: () => redis.smembers(key),
      zset: () => redis.zrange(key, '0', '-1', 'WITHSCORES'),
      list: () => redis.lrange(key, 0, -1),
      stream: () => redis.xrange(key, '-', '+'),
    };
    // The type of a key that has expired meanwhile is `none`.
    const read = readersByType[await redis.type(key)];
    lines.push(`${key} ${JSON.stringify(await read?.())}`);
  }
  return lines.join('\n');
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
