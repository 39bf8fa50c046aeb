// Searches a running product for canaries: unique words that one user has written. They are ASCII, so bytes are read as
// latin1, which accepts any byte.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { Client, type Submittable } from 'pg';
import type { Stack } from '../../deploy/local/thaw-stack.mjs';
import { dumpFiles, dumpRedis } from '../src/testing/erasure.fixture';

/** Returns the data that a statement `COPY … TO STDOUT` sends: the text that `pg_dump` writes. */
const copyOut = (client: Client, statement: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let failure: Error | undefined;
    // pg has no query for COPY; this object handles the messages of PostgreSQL's protocol.
    const copyQuery = {
      submit: (connection: { query(text: string): void }) => connection.query(statement),
      handleRowDescription: () => undefined,
      handleCopyData: ({ chunk }: { chunk: Buffer }) => chunks.push(chunk),
      handleCommandComplete: () => undefined,
      handleError: (error: Error) => (failure = error),
      handleReadyForQuery: () =>
        failure ? reject(failure) : resolve(Buffer.concat(chunks).toString('latin1')),
    };
    client.query(copyQuery as unknown as Submittable);
  });

/**
 * Returns the contents of every table, and the sample values of columns that PostgreSQL stores for its planner. The
 * rows of a partition count as those of its partitioned table.
 */
const readDatabase = async (connectionString: string): Promise<[string, string][]> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; place: string }>(
      // Lists partitions instead of their partitioned table, whose name COPY refuses.
      `SELECT format('%I.%I', nspname, pg_class.relname) AS name,
         format('%I.%I', nspname, coalesce(parent.relname, pg_class.relname)) AS place
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
       LEFT JOIN pg_inherits ON inhrelid = pg_class.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
       WHERE pg_class.relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const contents = new Map<string, string>();
    for (const { name, place } of rows) {
      contents.set(place, (contents.get(place) ?? '') + (await copyOut(client, `COPY ${name} TO STDOUT`)));
    }
    const places = [...contents];
    places.push(['pg_stats', await copyOut(client, 'COPY (SELECT * FROM pg_stats) TO STDOUT')]);
    return places;
  } finally {
    await client.end();
  }
};

const readLogs = async (home: string): Promise<[string, string][]> => {
  const folder = path.join(home, 'logs');
  return Promise.all(
    readdirSync(folder).map(async (name): Promise<[string, string]> => [
      `log ${name}`,
      await readFile(path.join(folder, name), 'latin1'),
    ]),
  );
};

const readMetrics = (stack: Stack): Promise<[string, string][]> =>
  Promise.all(
    [...stack.replicas, ...stack.workers].map(async ({ name, internalPort }): Promise<[string, string]> => [
      `metrics of ${name}`,
      await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
    ]),
  );

/** Returns everything that a running product stores or shows to its operator, by place. */
export const readPlaces = async (stack: Stack): Promise<ReadonlyMap<string, string>> => {
  const redis = new Redis(stack.stores.redisUrl);
  try {
    return new Map([
      ...(await readDatabase(stack.stores.databaseUrl)),
      ['redis', await dumpRedis({ redis })], // includes BullMQ's jobs
      ['files', await dumpFiles(path.join(stack.home, 'files'))],
      ...(await readLogs(stack.home)),
      ...(await readMetrics(stack)),
    ]);
  } finally {
    redis.disconnect();
  }
};

/** Returns `<name of the word> in <place>` for each place in which a word occurs, sorted. */
export const findWords = (
  places: ReadonlyMap<string, string>,
  words: Readonly<Record<string, string>>,
): string[] =>
  [...places]
    .flatMap(([place, text]) =>
      Object.entries(words).flatMap(([name, word]) => (text.includes(word) ? [`${name} in ${place}`] : [])),
    )
    .sort();
