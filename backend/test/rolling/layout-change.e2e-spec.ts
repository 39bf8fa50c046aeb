/**
 * Runs api processes behind nginx, a worker and the migrate program, with their own PostgreSQL and Redis.
 *
 * A layout is a version of the keys and values in Redis. Releases with different layouts cannot share Redis, so it is
 * drained between them: all chats end, their events are written to PostgreSQL, and the keys are deleted. The current
 * release is the working tree; the later release is a copy of it with another layout.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Replica, type Stack, startStack } from '../../../deploy/local/thaw-stack.mjs';
import {
  findFaults,
  startSending,
  type ChatUser,
  type ChatUserPair,
  createMatchedPairs,
} from '../../src/testing/chat-user.driver';
import { until } from '../../src/testing/until.functions';
import { buildLaterRelease, getCurrentRelease, type Release, ReleaseFolders } from './releases';
import { otherLayout, otherLayoutChanges } from './source-changes';

const runProgram = promisify(execFile);
const PAIR_COUNT = 4;
const MESSAGES_PER_USER = 10;

jest.setTimeout(120_000);

const folders = new ReleaseFolders();
let current: Release;
let later: Release;
let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  current = await getCurrentRelease();
  later = await buildLaterRelease(folders.make(), otherLayoutChanges);
  stack = await startStack({
    replicas: 2,
    workers: 1,
    shouldRestart: false, // a restart would hide a process that has died
    // Empty addresses make the stack start its own PostgreSQL and Redis.
    env: { DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'warn' },
  });
  redis = new Redis(stack.stores.redisUrl);
});

afterAll(async () => {
  redis?.disconnect();
  await stack?.stop();
  folders.remove();
});

/** Lets all users send messages until each has had enough acknowledged, and until their partners have received them. */
const exchangeMessages = async (pairs: readonly ChatUserPair[]): Promise<void> => {
  const stopSending = startSending(pairs, { everyMs: 20 });
  await until(() => pairs.flat().every(({ acked }) => acked.size >= MESSAGES_PER_USER));
  await stopSending();
  // `seq` is the number of the last event that a user has seen.
  await until(() => pairs.every(([first, second]) => first.seq === second.seq));
  expect(pairs.flatMap(findFaults)).toEqual([]);
};

/**
 * Expects that the later release's worker refuses to start on the current layout.
 * @param worker a stopped worker; afterwards, it runs the current release again.
 */
const expectRefusedLayout = async (worker: Replica): Promise<void> => {
  await expect(worker.start(later.programs.worker)).rejects.toThrow(`works with layout ${otherLayout}`);
  await worker.start(current.programs.worker);
};

/** Runs the current release's migrate program, which drains Redis. */
const drainRedis = async (): Promise<void> => {
  const { command, args } = current.programs.migrate;
  const { databaseUrl, redisUrl } = stack.stores;
  const { stdout } = await runProgram(command, [...args, '--drain'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
  });
  expect(stdout).toMatch(/^Everything is in PostgreSQL, and Redis is empty: \d+ keys were deleted\.\n$/);
  // The keys of chats, the match queue, leases, presence and BullMQ begin with a hash tag in braces. Those of BullMQ
  // (`{jobs}:`) are excepted, because the worker still runs and writes new ones.
  expect((await redis.keys('{*')).filter((key) => !key.startsWith('{jobs}:'))).toEqual([]);
};

/** Reads a chat from PostgreSQL: its messages, and the positions of its ends. */
const readPersistedChat = async (sessionId: string) => {
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
        .map(({ position, content }) => ({ position, content })),
      endPositions: rows.filter(({ type }) => type === 'ChatEnded').map(({ position }) => position),
    };
  } finally {
    await client.end();
  }
};

/** Expects that PostgreSQL has all acknowledged messages of a pair's chat, and the end that the drain appended. */
const expectPersistedAndEnded = async (pair: ChatUserPair): Promise<void> => {
  const [{ sessionId = '', seq: lastSeq }] = pair;
  const acknowledged = pair
    .flatMap(({ acked }) => [...acked])
    .map(([content, position]) => ({ position, content }));
  expect(await readPersistedChat(sessionId)).toEqual({
    messages: acknowledged.sort((one, other) => one.position - other.position),
    endPositions: [lastSeq + 1], // the drain appends only the end
  });
};

/** Expects that a user who resumes an ended chat receives its end (the frame `chat_skipped`, whatever the reason). */
const expectEndOnResume = async ({ visitor, sessionId = '', seq }: ChatUser): Promise<void> => {
  const socket = await visitor.openSocket(stack.url, { sessionId, seq });
  expect(await socket.next('chat_skipped')).toMatchObject({ sessionId });
  await visitor.closeSockets();
};

const expectNewUsersCanChat = async (): Promise<void> => {
  const [pair] = await createMatchedPairs(stack.url, 1);
  const [ada, bob] = pair!;
  await ada.send('Hello');
  await until(() => bob.history.size === 1);
  await ada.leave();
  await bob.leave();
};

it('keeps all acknowledged messages when Redis is drained for a release with another layout', async () => {
  const { replicas, workers } = stack;
  const pairs = await createMatchedPairs(stack.url, PAIR_COUNT);
  // While no worker runs, the events of the chats are only in Redis.
  await Promise.all(workers.map((worker) => worker.stop()));
  await exchangeMessages(pairs);
  for (const user of pairs.flat()) user.stopReconnecting(); // the replicas are stopped below

  for (const worker of workers) await expectRefusedLayout(worker);
  await Promise.all(replicas.map((replica) => replica.stop()));
  await drainRedis();
  for (const pair of pairs) await expectPersistedAndEnded(pair);

  await Promise.all(workers.map((worker) => worker.stop()));
  for (const worker of workers) await worker.start(later.programs.worker);
  for (const replica of replicas) await replica.start(later.programs.api);
  for (const [user] of pairs) await expectEndOnResume(user);
  await expectNewUsersCanChat();
});
