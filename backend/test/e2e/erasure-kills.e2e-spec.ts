/**
 * Kills the worker (SIGKILL) while it erases a user, between and inside the steps, and starts it again. Real:
 * PostgreSQL, Redis, a folder of files, an api replica and worker processes. In the long form (THAW_TEST_LONG=1) the
 * user was in a chat, and the worker is killed at every place.
 */
import { randomUUID } from 'node:crypto';
import { createPrivateMessage, uploadChatImage } from '../../src/testing/private-chat.fixture';
import {
  deleteAccount,
  dumpFiles,
  dumpRedis,
  dumpTables,
  startTestErasures,
  type TestErasures,
  waitForReceipt,
} from '../../src/testing/erasure.fixture';
import { matchSockets } from '../../src/testing/random-chat.fixture';
import { makeFriends } from '../../src/testing/relationship.fixture';
import { quickChatSettings } from '../../src/testing/test-stack.harness';
import { textMessage } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { ThawProcess } from '../thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const LOCK = 4_617_001;

jest.setTimeout(isLongRun ? 600_000 : 90_000);

/**
 * Where the worker is stopped: in a statement that writes to a table, or in the one that records a step. `isLost`: the
 * transaction of that statement is rolled back, as when the connection breaks with the process; otherwise PostgreSQL
 * commits what the dead worker had sent.
 */
interface Place {
  at: string;
  isLost: boolean;
}

const tables = ['friendships', 'event_private', 'private_messages', 'events', 'uploads'];
/** In the order of the steps. What is between two steps is the statement that records the first of them. */
const everyPlace = [
  'step 1',
  'step 2',
  'friendships',
  'events',
  'step 3',
  'event_private',
  'step 4',
  'private_messages',
  'events',
  'step 5',
  'uploads',
  'step 6',
  'step 7',
  'step 8',
].flatMap((at): Place[] => [
  { at, isLost: true },
  { at, isLost: false },
]);
const places: Place[] = isLongRun ? everyPlace : [{ at: 'event_private', isLost: true }];

let erasures: TestErasures;
let worker: ThawProcess;

const runSql = <Row>(query: string, ...parameters: unknown[]): Promise<Row[]> =>
  erasures.stack.database.dataSource.query<Row[]>(query, parameters);

const startWorker = (): void => {
  worker = new ThawProcess('worker', {
    DATABASE_URL: erasures.stack.database.url,
    REDIS_URL: erasures.stack.store.url,
    INTERNAL_PORT: '0',
    HOST: '127.0.0.1',
    ...erasures.settings,
  });
};

/** Statements at the place that is named in `held_place` wait for the lock. */
const createTriggers = async (): Promise<void> => {
  await runSql('CREATE TABLE held_place (at text)');
  await runSql(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT 1 FROM held_place WHERE at = CASE TG_TABLE_NAME
        WHEN 'erasures' THEN 'step ' || coalesce(to_jsonb(NEW)->>'step', '')
        ELSE regexp_replace(TG_TABLE_NAME, '_p[0-9]+$', '') END)
    THEN PERFORM pg_advisory_xact_lock(${LOCK}); END IF;
    RETURN coalesce(NEW, OLD); END $$`);
  await runSql(`CREATE TRIGGER hold BEFORE UPDATE OF step ON erasures FOR EACH ROW EXECUTE FUNCTION hold()`);
  for (const table of tables) {
    await runSql(
      `CREATE TRIGGER hold BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION hold()`,
    );
  }
};

/** Waits until the worker has stopped at the place, kills it, and lets PostgreSQL end what it was doing. */
const killAt = async ({ at, isLost }: Place): Promise<void> => {
  const findWaiting = () =>
    runSql<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
  const holder = erasures.stack.database.dataSource.createQueryRunner();
  try {
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
    await runSql('DELETE FROM held_place');
    await runSql('INSERT INTO held_place VALUES ($1)', at);
    startWorker();
    const waiting = await until(findWaiting, (pids) => pids.length > 0, 60_000);
    await worker.kill();
    if (isLost) for (const { pid } of waiting) await runSql('SELECT pg_terminate_backend($1)', pid);
    await runSql('DELETE FROM held_place');
    await holder.query(`SELECT pg_advisory_unlock(${LOCK})`);
    await until(findWaiting, (pids) => pids.length === 0);
  } finally {
    await holder.release();
  }
};

beforeAll(async () => {
  erasures = await startTestErasures(1, quickChatSettings);
  await createTriggers();
});
afterAll(async () => {
  await worker?.kill();
  await erasures?.close();
});

it(`completes an erasure whose worker was killed, with the same receipt (${places.length} places, between and in steps)`, async () => {
  const { stack } = erasures;
  const replica = stack.replicas[0]!;
  const word = `canary${randomUUID().replaceAll('-', '')}`;
  const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
  await makeFriends(replica, ada, bob);
  const socket = await ada.openSocket();
  const image = await uploadChatImage(replica, ada);
  for (const content of [word, image]) {
    const messageType = content === image ? 'image' : 'text';
    await socket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content, messageType }),
    );
  }
  if (isLongRun) {
    await ada.call('PATCH', `/api/user/${ada.user.id}`, { gender: 'female' });
    await bob.call('PATCH', `/api/user/${bob.user.id}`, { gender: 'male' });
    const sessionId = await matchSockets([socket], [await bob.openSocket()]);
    await socket.request('random_message', textMessage(sessionId, word));
  }
  const receiptId = await deleteAccount(ada);

  for (const place of places) await killAt(place);
  startWorker();
  const { content, remaining } = await waitForReceipt(stack.origins[0]!, receiptId);

  expect(remaining.total).toBe(0);
  expect(content).toMatchObject({
    erased: { privateMessages: 2, images: 1, friendships: 1, requests: 0, blocks: 0, sessions: 1 },
    kept: [],
  });
  expect(content!.erased.randomChats).toBe(isLongRun ? 2 : 1);
  const log = await runSql<{ type: string }>(
    `SELECT type FROM events WHERE stream_id = $1 AND type IN ('ErasureRequested', 'PersonErased')
     ORDER BY stream_position`,
    `user-${ada.user.id}`,
  );
  expect(log.map(({ type }) => type)).toEqual(['ErasureRequested', 'PersonErased']);
  const found = [
    ...(await dumpTables(stack.database.dataSource)),
    ['redis', await dumpRedis(stack.store)],
    ['files', await dumpFiles(erasures.folder)],
  ].flatMap(([place, text]) => (text!.includes(word) ? [place] : []));
  expect(found).toEqual([]);
  expect(await dumpFiles(erasures.folder)).not.toContain(image.split('/').at(-1));
});
