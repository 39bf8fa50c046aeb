// Finds canaries in everything that a running product stores. A canary is a unique word that one user has written.
// Canaries are ASCII, so bytes are read as latin1, which accepts any byte.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { Client, type Submittable } from 'pg';
import type { Stack } from '../../deploy/local/thaw-stack.mjs';
import { dumpFiles, dumpRedis } from '../src/testing/erasure.fixture';

/** A place where the product keeps text, for example a table or a log, and this text. */
type Place = [name: string, text: string];

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

interface Table {
  name: string;
  /** The partitioned table of a partition; otherwise the table itself. */
  place: string;
}

/** Lists partitions in place of their partitioned table, which COPY cannot read. */
const listTables = async (client: Client): Promise<Table[]> => {
  const { rows } = await client.query<Table>(
    `SELECT format('%I.%I', nspname, pg_class.relname) AS name,
       format('%I.%I', nspname, coalesce(parent.relname, pg_class.relname)) AS place
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
     LEFT JOIN pg_inherits ON inhrelid = pg_class.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
     WHERE pg_class.relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema')`,
  );
  return rows;
};

const readDatabase = async (connectionString: string): Promise<Place[]> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const textByPlace = new Map<string, string>();
    for (const { name, place } of await listTables(client)) {
      const text = await copyOut(client, `COPY ${name} TO STDOUT`);
      textByPlace.set(place, (textByPlace.get(place) ?? '') + text);
    }
    // The planner's statistics contain sample values of columns.
    const statistics = await copyOut(client, 'COPY (SELECT * FROM pg_stats) TO STDOUT');
    return [...textByPlace, ['pg_stats', statistics]];
  } finally {
    await client.end();
  }
};

const readLogs = (home: string): Promise<Place[]> => {
  const folder = path.join(home, 'logs');
  return Promise.all(
    readdirSync(folder).map(async (name): Promise<Place> => {
      const text = await readFile(path.join(folder, name), 'latin1');
      return [`log ${name}`, text];
    }),
  );
};

const readMetrics = (stack: Stack): Promise<Place[]> =>
  Promise.all(
    [...stack.replicas, ...stack.workers].map(async ({ name, internalPort }): Promise<Place> => {
      const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
      return [`metrics of ${name}`, await response.text()];
    }),
  );

/** Returns everything that a running product stores or shows to its operator, as text by place. */
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
  textByPlace: ReadonlyMap<string, string>,
  wordByName: Readonly<Record<string, string>>,
): string[] => {
  const findings: string[] = [];
  for (const [place, text] of textByPlace)
    for (const [name, word] of Object.entries(wordByName))
      if (text.includes(word)) findings.push(`${name} in ${place}`);
  return findings.sort();
};
