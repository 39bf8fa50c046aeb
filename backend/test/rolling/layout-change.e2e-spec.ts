/**
 * Runs api processes behind nginx, a worker and the migrate program, with their own PostgreSQL and Redis. The release
 * that cannot be rolled out is a copy of the present tree with another number for the layout of Redis.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  findFaults,
  startSending,
  type ChatUserPair,
  createMatchedPairs,
} from '../../src/testing/chat-user.driver';
import { until } from '../../src/testing/until.functions';
import { buildLaterRelease, getPresentRelease, type Release, ReleaseFolders } from './releases';
import { otherLayout, otherLayoutChanges } from './source-changes';

const run = promisify(execFile);
const PAIRS = 4;
const MESSAGES_EACH = 10;

jest.setTimeout(120_000);

const folders = new ReleaseFolders();
let present: Release;
let later: Release;
let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  present = await getPresentRelease();
  later = await buildLaterRelease(folders.make(), otherLayoutChanges);
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas: 2,
    workers: 1,
    shouldRestart: false,
    env: { DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'warn' },
  });
  redis = new Redis(stack.stores.redisUrl);
});

afterAll(async () => {
  redis?.disconnect();
  await stack?.stop();
  folders.remove();
});

/** A chat in PostgreSQL: the positions and contents of its messages, and the positions of its ends. */
const readPersisted = async ([{ sessionId }]: ChatUserPair) => {
  const client = new Client({ connectionString: stack.stores.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ position: number; type: string; content: string | null }>(
      `SELECT e.stream_position::int AS position, e.type, p.data ->> 'content' AS content
       FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
       WHERE e.stream_id = $1 ORDER BY e.stream_position`,
      [`chat-${sessionId}`],
    );
    return {
      messages: rows
        .filter(({ type }) => type === 'MessageSent')
        .map(({ position, content }) => [position, content]),
      ends: rows.filter(({ type }) => type === 'ChatEnded').map(({ position }) => position),
    };
  } finally {
    await client.end();
  }
};

const drain = () => {
  const { command, args } = present.programs.migrate;
  const { databaseUrl, redisUrl } = stack.stores;
  return run(command, [...args, '--drain'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
  });
};

it('keeps everything acknowledged when Redis is drained for a release with another layout', async () => {
  const { replicas, workers } = stack;
  const pairs = await createMatchedPairs(stack.url, PAIRS);
  await Promise.all(workers.map((worker) => worker.stop()));
  const stopSending = startSending(pairs, { everyMs: 20 });
  await until(() => pairs.flat().every(({ acked }) => acked.size >= MESSAGES_EACH));
  await stopSending();
  await until(() => pairs.every(([first, second]) => first.seq === second.seq));
  expect(pairs.flatMap(findFaults)).toEqual([]);
  for (const user of pairs.flat()) user.stopReconnecting();

  for (const worker of workers) {
    await expect(worker.start(later.programs.worker)).rejects.toThrow(`works with layout ${otherLayout}`);
    await worker.start(present.programs.worker);
  }
  await Promise.all(replicas.map((replica) => replica.stop()));
  const { stdout } = await drain();
  expect(stdout).toMatch(/^Everything is in PostgreSQL, and Redis is empty: \d+ keys were deleted\.\n$/);
  // The worker still runs, and BullMQ writes keys of its own.
  expect((await redis.keys('{*')).filter((key) => !key.startsWith('{jobs}:'))).toEqual([]);

  for (const pair of pairs) {
    const acked = pair.flatMap((user) => [...user.acked]);
    const expected = acked.map(([content, seq]) => [seq, content]);
    expect(await readPersisted(pair)).toEqual({
      messages: expected.sort(([first], [second]) => Number(first) - Number(second)),
      ends: [pair[0].seq + 1],
    });
  }

  await Promise.all(workers.map((worker) => worker.stop()));
  for (const worker of workers) await worker.start(later.programs.worker);
  for (const replica of replicas) await replica.start(later.programs.api);
  const [former] = pairs[0] ?? [];
  const socket = await former?.visitor.openSocket(stack.url, {
    sessionId: former.sessionId ?? '',
    seq: former.seq,
  });
  expect(await socket?.next('chat_skipped')).toMatchObject({ sessionId: former?.sessionId });

  const [[ada, bob] = []] = await createMatchedPairs(stack.url, 1);
  await ada?.send('Hello');
  await until(() => bob?.history.size === 1);
  await ada?.leave();
  await bob?.leave();
  await former?.visitor.closeSockets();
});
