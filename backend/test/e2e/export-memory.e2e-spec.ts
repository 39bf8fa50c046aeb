/**
 * Runs an api process on real PostgreSQL and Redis, and downloads the export of a user with 20,000 events, or a million
 * in the long form (THAW_TEST_LONG=1). The memory of the process may not grow with the number of events.
 */
import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { downloadExport, fillChats, openDownload, requestExport } from '../../src/testing/exports.fixture';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';
import { createTestRedis, type TestRedis } from '../../src/testing/test-redis.harness';
import { ThawVisitor } from '../../src/testing/thaw.client';
import { ThawProcess } from '../thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
/** One long chat, and short ones. */
const chats = isLongRun
  ? [
      { chats: 1, messages: 199_999 },
      { chats: 8_000, messages: 99 },
    ]
  : [
      { chats: 1, messages: 9_999 },
      { chats: 100, messages: 99 },
    ];
const EVENTS = isLongRun ? 1_000_000 : 20_000;
const MIB = 1024 * 1024;
const MAX_GROWTH_MIB = 50;
/** The samples that a download takes of the process's memory. */
const SAMPLE_EVERY_BYTES = (isLongRun ? 8 : 1) * MIB;

jest.setTimeout(isLongRun ? 900_000 : 60_000);

let database: TestDatabase;
let store: TestRedis;
let api: ThawProcess;

beforeAll(async () => {
  [database, store] = await Promise.all([createTestDatabase(), createTestRedis()]);
  api = new ThawProcess('api', {
    DATABASE_URL: database.url,
    REDIS_URL: store.url,
    SESSION_SECRET: 'a secret of a test of 32 bytes or more',
    SAFETY_SECRET: 'another secret of a test of 32 bytes or more',
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
  });
});
afterAll(async () => {
  await api.kill();
  await Promise.all([database.close(), store.close()]);
});

const fill = async (userId: number): Promise<void> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const part of chats) await fillChats((query, values) => client.query(query, values), userId, part);
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
};

it('takes no more memory for an export of many events', async () => {
  const { port, internalPort } = await api.waitUntilServing();
  const readMemory = async (): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    return Number(/^thaw_process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
  };
  const join = () => new ThawVisitor([`http://127.0.0.1:${port}`]).joinAnonymously();
  const visitor = await join();
  await fill(visitor.user.id);
  await downloadExport(await join());
  const before = await readMemory();
  expect(before).toBeGreaterThan(10 * MIB);

  const startedAt = performance.now();
  const response = await openDownload(visitor, await requestExport(visitor));
  expect(response.status).toBe(200);
  const hash = createHash('sha256');
  let rest = '';
  let events = 0;
  let bytes = 0;
  let sampledAt = 0;
  let peak = 0;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    bytes += chunk.length;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('{"kind":"trailer"')) {
        expect(JSON.parse(line)).toMatchObject({ events, sha256: hash.digest('hex') });
        continue;
      }
      hash.update(`${line}\n`);
      if (line.startsWith('{"kind":"event"')) events += 1;
    }
    if (bytes - sampledAt > SAMPLE_EVERY_BYTES) {
      sampledAt = bytes;
      peak = Math.max(peak, await readMemory());
    }
  }
  const growth = (peak - before) / MIB;
  process.stdout.write(
    `export of ${events} events: ${(bytes / MIB).toFixed(0)} MiB in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s, ` +
      `memory of the process ${(before / MIB).toFixed(0)} MiB before, at most ${(peak / MIB).toFixed(0)} MiB\n`,
  );
  // The account has events of its own.
  expect(events).toBeGreaterThan(EVENTS);
  expect(peak).toBeGreaterThan(0);
  expect(growth).toBeLessThan(MAX_GROWTH_MIB);
});
