/**
 * Kills the worker (SIGKILL) while it erases a user, between and inside the steps, and starts it again. Uses real
 * PostgreSQL and Redis, a folder of files, an api replica in this process, and worker processes. In the long form
 * (THAW_TEST_LONG=1) the user has also been in a random chat, and the worker is killed at every place.
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
/** Key of an advisory lock that only this test uses. */
const LOCK_KEY = 4_617_001;

jest.setTimeout(isLongRun ? 600_000 : 90_000);

/** Where the worker is killed. */
interface Place {
  /**
   * The name of a table stands for the next write to this table, and `step <n>` for the statement that records that
   * step `n` is done.
   */
  statement: string;
  /**
   * Whether the transaction of the statement is rolled back, as when PostgreSQL notices in time that the connection is
   * broken. Otherwise PostgreSQL still executes what the dead worker had sent.
   */
  isRolledBack: boolean;
}

/** The tables of `everyPlace`. */
const tables = ['friendships', 'event_private', 'private_messages', 'events', 'uploads'];
/** In the order of the erasure: after a table comes the `step <n>` that writes to it. Two steps write to `events`. */
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
].flatMap((statement): Place[] => [
  { statement, isRolledBack: true },
  { statement, isRolledBack: false },
]);
const places: Place[] = isLongRun ? everyPlace : [{ statement: 'event_private', isRolledBack: true }];

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

/**
 * Creates triggers that make the statement named in `chosen_statement` wait for the lock. A partition, which is named
 * `<table>_p<number>`, counts as its table. `NEW` is converted to JSON, because the function serves all tables, and
 * only `erasures` has a column `step`.
 */
const createTriggers = async (): Promise<void> => {
  await runSql('CREATE TABLE chosen_statement (name text)');
  await runSql(`CREATE FUNCTION wait_if_chosen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT 1 FROM chosen_statement WHERE name = CASE TG_TABLE_NAME
        WHEN 'erasures' THEN 'step ' || (to_jsonb(NEW)->>'step')
        ELSE regexp_replace(TG_TABLE_NAME, '_p[0-9]+$', '') END)
    THEN PERFORM pg_advisory_xact_lock(${LOCK_KEY}); END IF;
    RETURN coalesce(NEW, OLD); END $$`);
  await runSql(
    `CREATE TRIGGER wait_if_chosen BEFORE UPDATE OF step ON erasures
     FOR EACH ROW EXECUTE FUNCTION wait_if_chosen()`,
  );
  for (const table of tables) {
    await runSql(
      `CREATE TRIGGER wait_if_chosen BEFORE INSERT OR UPDATE OR DELETE ON ${table}
       FOR EACH ROW EXECUTE FUNCTION wait_if_chosen()`,
    );
  }
};

/**
 * Starts the worker and kills it when its statement at the place waits for the lock. Returns when the statement no
 * longer waits: PostgreSQL executes it or has rolled it back.
 */
const killAt = async ({ statement, isRolledBack }: Place): Promise<void> => {
  const findWaitingSessions = () =>
    runSql<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK_KEY} AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
  const lockHolder = erasures.stack.database.dataSource.createQueryRunner();
  try {
    await lockHolder.query(`SELECT pg_advisory_lock(${LOCK_KEY})`);
    await runSql('DELETE FROM chosen_statement');
    await runSql('INSERT INTO chosen_statement VALUES ($1)', statement);
    startWorker();
    const waitingSessions = await until(findWaitingSessions, (sessions) => sessions.length > 0, 60_000);
    await worker.kill();
    if (isRolledBack)
      for (const { pid } of waitingSessions) await runSql('SELECT pg_terminate_backend($1)', pid);
    await runSql('DELETE FROM chosen_statement');
    await lockHolder.query(`SELECT pg_advisory_unlock(${LOCK_KEY})`);
    await until(findWaitingSessions, (sessions) => sessions.length === 0);
  } finally {
    await lockHolder.release();
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

it(`completes an erasure and its receipt after the worker was killed (kills: ${places.length})`, async () => {
  const { stack } = erasures;
  const replica = stack.replicas[0]!;
  const word = `canary${randomUUID().replaceAll('-', '')}`;
  const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
  await makeFriends(replica, ada, bob);
  const socket = await ada.openSocket();
  const image = await uploadChatImage(replica, ada);
  for (const [content, messageType] of [
    [word, 'text'],
    [image, 'image'],
  ] as const)
    await socket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content, messageType }),
    );
  if (isLongRun) {
    // The queue refuses users without a gender.
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
  // `makeFriends` records a past chat.
  expect(content!.erased.randomChats).toBe(isLongRun ? 2 : 1);
  // The event at the end of an erasure is stored under the name `PersonErased`.
  const eventsOfErasure = await runSql<{ type: string }>(
    `SELECT type FROM events WHERE stream_id = $1 AND type IN ('ErasureRequested', 'PersonErased')
     ORDER BY stream_position`,
    `user-${ada.user.id}`,
  );
  expect(eventsOfErasure.map(({ type }) => type)).toEqual(['ErasureRequested', 'PersonErased']);
  const placesWithWord = [
    ...(await dumpTables(stack.database.dataSource)),
    ['redis', await dumpRedis(stack.store)],
    ['files', await dumpFiles(erasures.folder)],
  ].flatMap(([place, text]) => (text!.includes(word) ? [place] : []));
  expect(placesWithWord).toEqual([]);
  expect(await dumpFiles(erasures.folder)).not.toContain(image.split('/').at(-1));
});
