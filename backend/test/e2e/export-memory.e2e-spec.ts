/**
 * Runs an api process on real PostgreSQL and Redis, and downloads the export of a user with 20,000 events, or a million
 * in the long form (THAW_TEST_LONG=1). The memory of the process must not grow with the number of events.
 */
import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { downloadExport, fillChats, openDownload, requestExport } from '../../src/testing/exports.fixture';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';
import { createTestRedis, type TestRedis } from '../../src/testing/test-redis.harness';
import { ThawVisitor } from '../../src/testing/thaw.client';
import { ThawProcess } from '../thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
/** One long chat and many short ones. The start of a chat is an event, too, so 99 messages make 100 events. */
const chatGroups = isLongRun
  ? [
      { chats: 1, messages: 199_999 },
      { chats: 8_000, messages: 99 },
    ]
  : [
      { chats: 1, messages: 9_999 },
      { chats: 100, messages: 99 },
    ];
/** Number of events in all chats. The export has more, because the creation of the account is an event, too. */
const CHAT_EVENTS = isLongRun ? 1_000_000 : 20_000;
const MIB = 1024 * 1024;
const MAX_GROWTH_MIB = 50;
/** The memory of the process is read whenever this many more bytes are downloaded. */
const SAMPLE_EVERY_BYTES = (isLongRun ? 8 : 1) * MIB;

jest.setTimeout(isLongRun ? 900_000 : 60_000);

let database: TestDatabase;
let redis: TestRedis;
let api: ThawProcess;

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  api = new ThawProcess('api', {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SESSION_SECRET: 'a test secret of at least 32 bytes',
    SAFETY_SECRET: 'another test secret of at least 32 bytes',
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
  });
});
afterAll(async () => {
  await api.kill();
  await Promise.all([database.close(), redis.close()]);
});

const createChats = async (userId: number): Promise<void> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const group of chatGroups)
      await fillChats((query, values) => client.query(query, values), userId, group);
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
};

const formatMib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;

/** Reads an export chunk by chunk: counts its events, and checks its trailer. */
class ExportReader {
  bytes = 0;
  events = 0;
  hasTrailer = false;
  private readonly hash = createHash('sha256');
  private incompleteLine = '';

  add(chunk: string): void {
    this.bytes += chunk.length; // this export is ASCII, so a character is a byte
    const lines = (this.incompleteLine + chunk).split('\n');
    this.incompleteLine = lines.pop() ?? '';
    for (const line of lines) this.addLine(line);
  }

  private addLine(line: string): void {
    if (line.startsWith('{"kind":"trailer"')) {
      // The trailer is the last line. It has the number of events and the hash of all lines before it.
      expect(JSON.parse(line)).toMatchObject({ events: this.events, sha256: this.hash.digest('hex') });
      this.hasTrailer = true;
      return;
    }
    this.hash.update(`${line}\n`);
    if (line.startsWith('{"kind":"event"')) this.events += 1;
  }
}

it(`takes less than ${MAX_GROWTH_MIB} MiB of additional memory for an export of many events`, async () => {
  const { port, internalPort } = await api.waitUntilServing();
  /** Returns the resident memory of the process in bytes. */
  const readMemory = async (): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    return Number(/^thaw_process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
  };
  const createVisitor = () => new ThawVisitor([`http://127.0.0.1:${port}`]).joinAnonymously();
  const visitor = await createVisitor();
  await createChats(visitor.user.id);
  // A first, small export allocates what every export needs.
  await downloadExport(await createVisitor());
  const memoryBefore = await readMemory();
  expect(memoryBefore).toBeGreaterThan(10 * MIB); // the metric is plausible

  const startedAt = performance.now();
  const response = await openDownload(visitor, await requestExport(visitor));
  expect(response.status).toBe(200);
  const exported = new ExportReader();
  let bytesAtLastSample = 0;
  let peakMemory = 0;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    exported.add(chunk);
    if (exported.bytes - bytesAtLastSample > SAMPLE_EVERY_BYTES) {
      bytesAtLastSample = exported.bytes;
      peakMemory = Math.max(peakMemory, await readMemory());
    }
  }
  const growthMib = (peakMemory - memoryBefore) / MIB;
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stdout.write(
    `export of ${exported.events} events: ${formatMib(exported.bytes)} in ${seconds.toFixed(1)} s, ` +
      `memory of the process ${formatMib(memoryBefore)} before, at most ${formatMib(peakMemory)}\n`,
  );
  expect(exported.hasTrailer).toBe(true);
  expect(exported.events).toBeGreaterThan(CHAT_EVENTS);
  expect(peakMemory).toBeGreaterThan(0);
  expect(growthMib).toBeLessThan(MAX_GROWTH_MIB);
});
