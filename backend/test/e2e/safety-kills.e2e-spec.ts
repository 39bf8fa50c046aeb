/**
 * Runs two api processes on real PostgreSQL and Redis. One of them is killed while it serves a block, a report or a
 * decision. The test then repeats the call at the other process, which completes what was interrupted. Between these
 * kills, blocks race with matches over both processes: 10,000 rounds in the long form (THAW_TEST_LONG=1).
 */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeCodes } from '@thaw/contract/close-codes';
import type { ModerationCase } from '@thaw/contract/moderation';
import { BLOCKED } from '../../src/modules/matching/infrastructure/match-record.scripts';
import { matchingKeys } from '../../src/platform/redis/redis.keys';
import { BlockRace, listEvents, greetPartners, type RacingUser } from '../../src/testing/block-race.driver';
import { type CuttableLink, startCuttableLink } from '../../src/testing/cuttable-link.proxy';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';
import { createTestRedis, type TestRedis } from '../../src/testing/test-redis.harness';
import { FACTS, formatHoursFromNow } from '../../src/testing/moderation.fixture';
import { createPlainJpeg } from '../../src/testing/image-corpus.fixture';
import { textMessage, ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { ThawProcess } from '../thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const KILL_COUNT = Number(process.env.THAW_TEST_KILLS ?? (isLongRun ? 100 : 2));
const ROUNDS_PER_KILL = isLongRun ? 100 : 5;
/** Maximum time between the two calls of a race: the block and the `join_queue` of the second user. */
const MAX_DELAY_MS = 20;
/** Number of cases whose report and decision are interrupted by a kill. */
const CASE_COUNT = isLongRun ? 20 : 1;

jest.setTimeout(isLongRun ? 7_200_000 : 120_000);

/**
 * When the process is killed: after PostgreSQL has committed and before any command reaches Redis, or after Redis has
 * executed the commands of the call. In both cases the call is not answered yet.
 */
type Step = 'after the commit' | 'after Redis';

const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** An api process on a fixed port, so that it can be started again for the same clients. */
class Replica {
  private process: ThawProcess | undefined;

  constructor(
    private readonly settings: Record<string, string>,
    readonly port: number,
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.process = new ThawProcess('api', { ...this.settings, PORT: String(this.port) });
    await this.process.waitUntilServing();
  }

  async kill(): Promise<void> {
    await this.process?.kill();
  }
}

let database: TestDatabase;
let store: TestRedis;
let link: CuttableLink;
let replicas: readonly [Replica, Replica];
let storageFolder: string;

beforeAll(async () => {
  [database, store] = await Promise.all([createTestDatabase(), createTestRedis()]);
  link = await startCuttableLink(store.url);
  storageFolder = await mkdtemp(join(tmpdir(), 'thaw-kills-'));
  const settings = {
    DATABASE_URL: database.url,
    SESSION_SECRET: 'a test secret of at least 32 bytes',
    SAFETY_SECRET: 'another test secret of at least 32 bytes',
    HOST: '127.0.0.1',
    INTERNAL_PORT: '0',
    LIMITS_PROFILE: 'load',
    REMATCH_COOLDOWN_S: '0',
    REMATCH_RELAX_AFTER_S: '0',
    // One report is enough to flag a user, whose standing (what moderation allows them to do) then becomes `care`.
    CARE_FLAG_REPORTERS: '1',
    STORAGE_DIR: storageFolder,
  };
  replicas = [
    // Only the first replica is killed; the link holds back its commands to Redis.
    new Replica({ ...settings, REDIS_URL: link.url }, await findPort()),
    new Replica({ ...settings, REDIS_URL: store.url }, await findPort()),
  ];
  await Promise.all(replicas.map((replica) => replica.start()));
});

afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.kill()));
  await link?.close();
  await Promise.all([database?.close(), store?.close()]);
  if (storageFolder) await rm(storageFolder, { recursive: true });
});

const returnsRows = async (query: string, parameters: readonly unknown[] = []): Promise<boolean> =>
  (await database.dataSource.query<unknown[]>(query, [...parameters])).length > 0;

/** A call that the first replica serves, and the step at which this replica is killed. */
interface Kill {
  step: Step;
  /** Name of the advisory lock that the call takes before it commits. */
  lockName: string;
  call: () => Promise<unknown>;
  isCommitted: () => Promise<boolean>;
  /** Whether Redis has executed the commands of the call. */
  hasReachedRedis: () => boolean | Promise<boolean>;
}

/**
 * Makes the call and kills the first replica at the step. Holds the lock until the link is frozen, so that the call
 * cannot commit earlier.
 */
const killDuring = async ({ step, lockName, call, isCommitted, hasReachedRedis }: Kill): Promise<void> => {
  const runner = database.dataSource.createQueryRunner();
  let answer: Promise<unknown>;
  try {
    await runner.startTransaction();
    await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName]);
    answer = call().catch(() => 'no answer');
    // Waits until the call waits for the lock.
    await until(() => returnsRows(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`));
    if (step === 'after the commit')
      link.freeze(); // Redis receives no command
    else link.freezeAnswers(); // Redis executes the commands, but the replica receives no answer
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
  await until(isCommitted);
  if (step === 'after Redis') await until(hasReachedRedis);
  await replicas[0].kill();
  await link.restore();
  expect(await answer).toBe('no answer');
  expect(await hasReachedRedis()).toBe(step === 'after Redis');
};

/** Uploads an image. @returns its URL. */
const uploadImage = async (user: ThawVisitor): Promise<string> => {
  const form = new FormData();
  form.append('bucket', 'chat-images');
  form.append('fileName', 'cat.jpg');
  form.append('file', new Blob([await createPlainJpeg()], { type: 'image/jpeg' }), 'cat.jpg');
  const { body } = await user.call('POST', '/api/upload', form);
  return String(body.url);
};

const createUser = async (origins: string[], gender: 'female' | 'male'): Promise<ThawVisitor> =>
  new ThawVisitor(origins).joinAnonymously(gender);

it(`completes each interrupted block when the call is repeated (${KILL_COUNT} kills, ${KILL_COUNT * ROUNDS_PER_KILL} rounds)`, async () => {
  const [first, second] = replicas;
  const originsOfAda = [first.origin]; // replaced by the second replica while the first is down
  const ada = await createUser(originsOfAda, 'female');
  const bob = await createUser([second.origin], 'male');
  const ids = [ada.user.id, bob.user.id] as const;
  // Users can block only users with whom they have chatted.
  await database.dataSource.query(
    `INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at) VALUES (1, 'chat-earlier', $1, $2, now())`,
    [...ids],
  );
  /** Returns `BLOCKED` while a block keeps Ada and Bob from being matched. */
  const readSeparation = () => store.redis.get(matchingKeys.separation(...ids));
  const openPage = async (visitor: ThawVisitor): Promise<RacingUser> => {
    const socket = await visitor.openSocket();
    greetPartners(socket);
    return { visitor, socket };
  };
  const pageOfBob = await openPage(bob);

  const killAt = async (step: Step, pageOfAda: RacingUser): Promise<void> => {
    // `run` is not called, so there is no race, and the delay of 0 has no effect.
    const pair = new BlockRace([pageOfAda, pageOfBob], store, 0);
    for (const { socket } of pair.users) {
      socket.frames.length = 0; // so that `next` waits for a new match
      await socket.request('join_queue', {});
    }
    const sessionId = String((await pageOfBob.socket.next('chat_matched')).sessionId);
    await until(async () => (await pair.readStates()).every((state) => state === 'chatting'));
    await killDuring({
      step,
      lockName: `blocks.pair:${Math.min(...ids)}-${Math.max(...ids)}`,
      call: () => pair.block(ada, bob),
      isCommitted: () => returnsRows('SELECT 1 FROM blocks WHERE blocker_id = $1 AND blocked_id = $2', ids),
      hasReachedRedis: async () => (await readSeparation()) === BLOCKED,
    });
    // At both steps, the call is interrupted before it ends the chat.
    expect(await pair.readStates()).toEqual(['chatting', 'chatting']);
    expect(listEvents(pageOfBob.socket, sessionId)).not.toContain('chat_skipped');

    originsOfAda[0] = second.origin;
    expect(await pair.block(ada, bob)).toMatchObject({ status: 200 }); // not 201: the block exists already
    const newSocket = await ada.openSocket();
    // The chat has ended.
    expect(await newSocket.ask('random_message', textMessage(sessionId, 'late'))).toMatchObject({
      event: 'error',
    });
    await new BlockRace([{ visitor: ada, socket: newSocket }, pageOfBob], store, 0).expectNoOpenChat();
    expect(listEvents(pageOfBob.socket, sessionId).at(-1)).toBe('chat_skipped');
    await pair.unblock(ada, bob);
    await newSocket.closeCleanly();
    await first.start();
    originsOfAda[0] = first.origin;
  };

  /** Number of rounds in which a chat started, and in which none did. */
  const chats = { started: 0, none: 0 };
  for (let kill = 0; kill < KILL_COUNT; kill += 1) {
    const pageOfAda = await openPage(ada);
    const race = new BlockRace([pageOfAda, pageOfBob], store, MAX_DELAY_MS);
    for (let round = 0; round < ROUNDS_PER_KILL; round += 1) await race.run(kill * ROUNDS_PER_KILL + round);
    chats.started += race.chats.started;
    chats.none += race.chats.none;
    await killAt(kill % 2 ? 'after the commit' : 'after Redis', pageOfAda);
    expect(pageOfAda.socket.seqViolations).toEqual([]);
  }
  expect(pageOfBob.socket.seqViolations).toEqual([]);
  // The two calls have really raced: each outcome has occurred in more than 5 % of the rounds.
  const minRoundsPerOutcome = (KILL_COUNT * ROUNDS_PER_KILL) / 20;
  expect(chats.started).toBeGreaterThan(minRoundsPerOutcome);
  expect(chats.none).toBeGreaterThan(minRoundsPerOutcome);
});

it(`completes interrupted reports and decisions when the call is repeated (${CASE_COUNT} users)`, async () => {
  const [first, second] = replicas;
  const origins = [first.origin]; // replaced by the second replica while the first is down
  const restartFirst = async () => {
    await first.start();
    origins[0] = first.origin;
  };
  /** Returns the kinds of the notices that the user has received. */
  const readNoticeKinds = async ({ user }: ThawVisitor): Promise<unknown[]> => {
    const rows = await database.dataSource.query<{ kind: string }[]>(
      'SELECT kind FROM notices WHERE recipient_id = $1 ORDER BY id',
      [user.id],
    );
    return rows.map(({ kind }) => kind);
  };
  const moderator = await new ThawVisitor(origins).register('mia@example.org', 'a good password');
  await database.dataSource.query('UPDATE users SET is_moderator = true WHERE id = $1', [moderator.user.id]);

  for (let index = 0; index < CASE_COUNT; index += 1) {
    const step: Step = index % 2 ? 'after Redis' : 'after the commit';
    const ada = await createUser(origins, 'female');
    const bob = await createUser([second.origin], 'male');
    const [socketOfAda, socketOfBob] = [await ada.openSocket(), await bob.openSocket()];
    for (const socket of [socketOfAda, socketOfBob]) await socket.request('join_queue', {});
    const sessionId = String((await socketOfBob.next('chat_matched')).sessionId);
    await socketOfBob.request('random_message', {
      sessionId,
      content: await uploadImage(bob),
      messageType: 'image',
    });
    const lockName = `conduct:${bob.user.id}`;
    const hasStanding = (kind: string) =>
      socketOfBob.all('standing').some((standing) => standing.kind === kind);
    /**
     * Counts the events of the cases about Bob, and the images that are kept for these cases (`holds`). `evidenceDays`:
     * days until the evidence is erased; null while no date is set.
     */
    const countConduct = async () => {
      const [row] = await database.dataSource.query<[object]>(
        `SELECT count(*) FILTER (WHERE type = 'CaseOpened')::int AS cases,
           count(*) FILTER (WHERE type = 'ReportFiled')::int AS reports,
           count(*) FILTER (WHERE type = 'CaseDecided')::int AS decisions,
           count(*) FILTER (WHERE type = 'SanctionImposed')::int AS sanctions,
           (SELECT count(*)::int FROM upload_holds JOIN conduct_cases ON id = case_id WHERE user_id = $1) AS holds,
           (SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int FROM event_private AS private
            JOIN events AS filed USING (stream_id, event_id)
            WHERE stream_id = 'conduct-' || $1 AND filed.type = 'ReportFiled') AS "evidenceDays"
         FROM events WHERE stream_id = 'conduct-' || $1`,
        [bob.user.id],
      );
      return row;
    };

    const report = () =>
      ada.call('POST', '/api/reports', {
        reporterId: ada.user.id,
        targetId: bob.user.id,
        category: 'hate',
        sessionId,
      });
    await killDuring({
      step,
      lockName,
      call: report,
      isCommitted: () => returnsRows('SELECT 1 FROM reports WHERE user_id = $1', [bob.user.id]),
      hasReachedRedis: () => hasStanding('care'),
    });
    const afterReport = { cases: 1, reports: 1, decisions: 0, sanctions: 0, holds: 1, evidenceDays: null };
    expect(await countConduct()).toEqual(afterReport);
    origins[0] = second.origin;
    expect(await report()).toMatchObject({ status: 200, body: { state: 'received' } });
    await until(() => hasStanding('care'));
    expect(await countConduct()).toEqual(afterReport);
    expect(await readNoticeKinds(bob)).toEqual(['care']);
    await restartFirst();

    const { body: queue } = await moderator.call('GET', '/api/moderation/cases');
    const { id, version } = (queue.cases as ModerationCase[]).find(({ userId }) => userId === bob.user.id)!;
    const decide = () =>
      moderator.call('POST', `/api/moderation/cases/${id}/decision`, {
        version,
        outcome: 'suspended',
        rule: 'no_hate',
        facts: FACTS,
        until: formatHoursFromNow(24),
      });
    await killDuring({
      step,
      lockName,
      call: decide,
      isCommitted: () => returnsRows('SELECT 1 FROM sanctions WHERE user_id = $1', [bob.user.id]),
      hasReachedRedis: () => hasStanding('suspended'),
    });
    // Bob is suspended already, so this route refuses the call.
    expect((await bob.call('GET', `/api/friends/${bob.user.id}`)).status).toBe(403);
    origins[0] = second.origin;
    // The repeated call is refused, because the case is decided. It announces the standing again all the same, which
    // closes the sockets of a suspended user.
    expect(await decide()).toMatchObject({ status: 409, body: { code: 'case_changed' } });
    expect(await socketOfBob.closed).toBe(closeCodes.notSignedIn);
    // The evidence is kept for the 183 days in which the decision can be appealed.
    const afterDecision = { ...afterReport, decisions: 1, sanctions: 1, evidenceDays: 183 };
    expect(await countConduct()).toEqual(afterDecision);
    const { body: notices } = await bob.call('GET', `/api/notices/${bob.user.id}`);
    expect(notices).toMatchObject([{ kind: 'suspension', facts: FACTS }, { kind: 'care' }]);
    expect(await readNoticeKinds(ada)).toEqual(['report_decided']);
    expect(
      await returnsRows(`SELECT 1 FROM moderator_actions WHERE case_id = $1 AND action = 'decided'`, [id]),
    ).toBe(true);
    await restartFirst();
  }
});
