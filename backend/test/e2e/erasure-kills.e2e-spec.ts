/**
 * Kills the worker (SIGKILL) while it erases a user, between and inside the steps, and starts it again. Uses real
 * PostgreSQL and Redis, a folder of files, an api replica in this process, and worker processes. A long run
 * (THAW_TEST_LONG=1) kills the worker at every kill point, and the user has also been in a random chat.
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
import { textMessage, type ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { ThawProcess } from '../thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
/** Key of an advisory lock that only this test uses. */
const LOCK_KEY = 4_617_001;

jest.setTimeout(isLongRun ? 600_000 : 90_000);

/** The worker is killed while one of its statements waits for a lock. */
interface KillPoint {
  /** The next write to a table (its name), or the statement that records that step `n` is done (`step <n>`). */
  statement: string;
  /**
   * Whether the transaction of the statement is rolled back, as when PostgreSQL notices in time that the connection is
   * broken. Otherwise PostgreSQL still executes what the dead worker had sent.
   */
  isRolledBack: boolean;
}

/** In the order of the erasure: each table is written by the step that is recorded next. */
const statements = [
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
];
const tables = new Set(statements.filter((statement) => !statement.startsWith('step ')));
const killPoints: KillPoint[] = isLongRun
  ? statements.flatMap((statement) => [
      { statement, isRolledBack: true },
      { statement, isRolledBack: false },
    ])
  : [{ statement: 'event_private', isRolledBack: true }];

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

/** Creates triggers that make the statement named in `chosen_statement` wait for the lock. */
const createTriggers = async (): Promise<void> => {
  await runSql('CREATE TABLE chosen_statement (name text)');
  // The partitions of a table are named `<table>_p<number>`. `NEW` is converted to JSON, because the function serves
  // all tables, and only `erasures` has a column `step`.
  await runSql(`
    CREATE FUNCTION wait_if_chosen() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      statement_name text := CASE TG_TABLE_NAME
        WHEN 'erasures' THEN 'step ' || (to_jsonb(NEW)->>'step')
        ELSE regexp_replace(TG_TABLE_NAME, '_p[0-9]+$', '') END;
    BEGIN
      IF EXISTS (SELECT 1 FROM chosen_statement WHERE name = statement_name) THEN
        PERFORM pg_advisory_xact_lock(${LOCK_KEY});
      END IF;
      RETURN coalesce(NEW, OLD);
    END $$`);
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
 * Starts the worker and kills it as soon as the statement waits for the lock. Returns when the statement no longer
 * waits: PostgreSQL executes it or has rolled it back.
 */
const killAt = async ({ statement, isRolledBack }: KillPoint): Promise<void> => {
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
    if (isRolledBack) {
      for (const { pid } of waitingSessions) await runSql('SELECT pg_terminate_backend($1)', pid);
    }
    await runSql('DELETE FROM chosen_statement');
    await lockHolder.query(`SELECT pg_advisory_unlock(${LOCK_KEY})`);
    await until(findWaitingSessions, (sessions) => sessions.length === 0);
  } finally {
    await lockHolder.release();
  }
};

/**
 * Signs in a user with a friend, who has received `word` and an image from the user. In a long run, the user has also
 * sent `word` in a random chat.
 */
const createVisitorWithData = async (word: string): Promise<{ visitor: ThawVisitor; image: string }> => {
  const { stack } = erasures;
  const replica = stack.replicas[0]!;
  const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
  await makeFriends(replica, ada, bob);
  const socket = await ada.openSocket();
  const image = await uploadChatImage(replica, ada);
  for (const [content, messageType] of [
    [word, 'text'],
    [image, 'image'],
  ] as const) {
    await socket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content, messageType }),
    );
  }
  if (isLongRun) {
    // The queue refuses users without a gender.
    await ada.call('PATCH', `/api/user/${ada.user.id}`, { gender: 'female' });
    await bob.call('PATCH', `/api/user/${bob.user.id}`, { gender: 'male' });
    const sessionId = await matchSockets([socket], [await bob.openSocket()]);
    await socket.request('random_message', textMessage(sessionId, word));
  }
  return { visitor: ada, image };
};

/** Lists the types of the events in which the erasure of a user is recorded. */
const listErasureEvents = async (userId: number): Promise<string[]> => {
  // `PersonErased` is the name under which the event at the end of an erasure is stored.
  const rows = await runSql<{ type: string }>(
    `SELECT type FROM events WHERE stream_id = $1 AND type IN ('ErasureRequested', 'PersonErased')
     ORDER BY stream_position`,
    `user-${userId}`,
  );
  return rows.map(({ type }) => type);
};

/** Lists the tables that contain `word`, and `redis` or `files` if these contain it. */
const findRemains = async (word: string): Promise<string[]> => {
  const { stack, folder } = erasures;
  const dumps = new Map<string, string>([
    ...(await dumpTables(stack.database.dataSource)),
    ['redis', await dumpRedis(stack.store)],
    ['files', await dumpFiles(folder)],
  ]);
  return [...dumps].filter(([, text]) => text.includes(word)).map(([name]) => name);
};

beforeAll(async () => {
  erasures = await startTestErasures(1, quickChatSettings);
  await createTriggers();
});
afterAll(async () => {
  await worker?.kill();
  await erasures?.close();
});

it(`completes an erasure and its receipt after the worker was killed (kills: ${killPoints.length})`, async () => {
  const word = `canary${randomUUID().replaceAll('-', '')}`;
  const { visitor, image } = await createVisitorWithData(word);
  const receiptId = await deleteAccount(visitor);

  for (const killPoint of killPoints) await killAt(killPoint);
  startWorker();
  const { content, remaining } = await waitForReceipt(erasures.stack.origins[0]!, receiptId);

  expect(remaining.total).toBe(0);
  expect(content).toMatchObject({
    erased: { privateMessages: 2, images: 1, friendships: 1, requests: 0, blocks: 0, sessions: 1 },
    kept: [],
  });
  // `makeFriends` records a past chat.
  expect(content!.erased.randomChats).toBe(isLongRun ? 2 : 1);
  expect(await listErasureEvents(visitor.user.id)).toEqual(['ErasureRequested', 'PersonErased']);
  expect(await findRemains(word)).toEqual([]);
  expect(await dumpFiles(erasures.folder)).not.toContain(image.split('/').at(-1));
});
