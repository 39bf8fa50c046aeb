/**
 * Runs two api processes on real PostgreSQL and Redis. One of them is killed while it serves a block, a report or a
 * decision. The test then repeats the call at the other process, which completes what was interrupted. While both
 * processes run, blocks race with matches: 10,000 rounds in the long form (THAW_TEST_LONG=1).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeCodes } from '@thaw/contract/close-codes';
import type { ModerationCase } from '@thaw/contract/moderation';
import { BLOCKED } from '../../src/modules/matching/infrastructure/match-record.scripts';
import { matchingKeys } from '../../src/platform/redis/redis.keys';
import { BlockRace, listEvents, greetPartners, type RacingUser } from '../../src/testing/block-race.driver';
import { type CuttableLink, startCuttableLink } from '../../src/testing/cuttable-link.proxy';
import { findFreePort } from '../../src/testing/free-port.functions';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';
import { createTestRedis, type TestRedis } from '../../src/testing/test-redis.harness';
import { FACTS, formatHoursFromNow } from '../../src/testing/moderation.fixture';
import { createPlainJpeg } from '../../src/testing/image-corpus.fixture';
import { textMessage, type ThawSocket, ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { ApiReplica } from './api-replica';

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

/** Alternates between the two steps. */
const chooseStep = (index: number): Step => (index % 2 === 0 ? 'after the commit' : 'after Redis');

let database: TestDatabase;
let store: TestRedis;
let link: CuttableLink;
/** Only the first replica is killed. */
let replicas: readonly [ApiReplica, ApiReplica];
/**
 * The origins of the users of the first replica: only that replica, or only the second one while the first is down. The
 * users keep this list, so a change of its entry applies to them.
 */
const failoverOrigins: string[] = [];
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
    // The link can hold back the commands of this replica to Redis.
    new ApiReplica({ ...settings, REDIS_URL: link.url }, await findFreePort()),
    new ApiReplica({ ...settings, REDIS_URL: store.url }, await findFreePort()),
  ];
  await Promise.all([startFirstReplica(), replicas[1].start()]);
});

afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.kill()));
  await link?.close();
  await Promise.all([database?.close(), store?.close()]);
  if (storageFolder) await rm(storageFolder, { recursive: true });
});

const startFirstReplica = async (): Promise<void> => {
  const [first] = replicas;
  await first.start();
  failoverOrigins[0] = first.origin;
};

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
 * cannot commit earlier. Further calls of the users of this replica go to the second one.
 */
const killDuring = async ({ step, lockName, call, isCommitted, hasReachedRedis }: Kill): Promise<void> => {
  const [first, second] = replicas;
  const runner = database.dataSource.createQueryRunner();
  let answer: Promise<unknown>;
  try {
    await runner.startTransaction();
    await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName]);
    answer = call().catch(() => 'no answer');
    // Waits until the call waits for the lock.
    await until(() => returnsRows(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`));
    // Either Redis receives no command, or it executes the commands and the replica receives no answer.
    if (step === 'after the commit') link.freeze();
    else link.freezeAnswers();
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
  await until(isCommitted);
  if (step === 'after Redis') await until(hasReachedRedis);
  await first.kill();
  failoverOrigins[0] = second.origin;
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

/** A user of the first replica. */
const createAda = () => new ThawVisitor(failoverOrigins).joinAnonymously('female');
/** A user of the second replica. */
const createBob = () => new ThawVisitor([replicas[1].origin]).joinAnonymously('male');

const openPage = async (visitor: ThawVisitor): Promise<RacingUser> => {
  const socket = await visitor.openSocket();
  greetPartners(socket);
  return { visitor, socket };
};

/** Two users for a block without a race. The delay is 0, because only `run` uses it. */
const createPair = (pageOfAda: RacingUser, pageOfBob: RacingUser): BlockRace =>
  new BlockRace([pageOfAda, pageOfBob], store, 0);

/** Matches the two users, and kills the first replica while it serves Ada's block. @returns the id of the chat */
const interruptBlock = async (pair: BlockRace, step: Step): Promise<string> => {
  const [{ visitor: ada }, { visitor: bob, socket: socketOfBob }] = pair.users;
  const ids = [ada.user.id, bob.user.id] as const;
  for (const { socket } of pair.users) {
    socket.frames.length = 0; // so that `next` waits for a new match
    await socket.request('join_queue', {});
  }
  const sessionId = String((await socketOfBob.next('chat_matched')).sessionId);
  await until(async () => (await pair.readStates()).every((state) => state === 'chatting'));
  await killDuring({
    step,
    lockName: `blocks.pair:${Math.min(...ids)}-${Math.max(...ids)}`,
    call: () => pair.block(ada, bob),
    isCommitted: () => returnsRows('SELECT 1 FROM blocks WHERE blocker_id = $1 AND blocked_id = $2', ids),
    hasReachedRedis: async () => (await store.redis.get(matchingKeys.separation(...ids))) === BLOCKED,
  });
  // At both steps, the call is interrupted before it ends the chat.
  expect(await pair.readStates()).toEqual(['chatting', 'chatting']);
  expect(listEvents(socketOfBob, sessionId)).not.toContain('chat_skipped');
  return sessionId;
};

/** Repeats Ada's block at the second replica, which ends the chat. Then lifts the block. */
const repeatBlock = async (pair: BlockRace, sessionId: string): Promise<void> => {
  const [{ visitor: ada }, pageOfBob] = pair.users;
  const bob = pageOfBob.visitor;
  expect(await pair.block(ada, bob)).toMatchObject({ status: 200 }); // not 201: the block exists already
  const newSocketOfAda = await ada.openSocket();
  const lateMessage = textMessage(sessionId, 'late');
  expect(await newSocketOfAda.ask('random_message', lateMessage)).toMatchObject({ event: 'error' });
  await createPair({ visitor: ada, socket: newSocketOfAda }, pageOfBob).expectNoOpenChat();
  expect(listEvents(pageOfBob.socket, sessionId).at(-1)).toBe('chat_skipped');
  await pair.unblock(ada, bob);
  await newSocketOfAda.closeCleanly();
};

it(`completes each interrupted block when the call is repeated (${KILL_COUNT} kills, ${KILL_COUNT * ROUNDS_PER_KILL} rounds)`, async () => {
  const [ada, bob] = [await createAda(), await createBob()];
  // Users can block only users with whom they have chatted.
  await database.dataSource.query(
    `INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at) VALUES (1, 'chat-earlier', $1, $2, now())`,
    [ada.user.id, bob.user.id],
  );
  const pageOfBob = await openPage(bob);
  /** Number of rounds in which a chat started, and in which none did. */
  const chats = { started: 0, none: 0 };
  for (let kill = 0; kill < KILL_COUNT; kill += 1) {
    const pageOfAda = await openPage(ada);
    const race = new BlockRace([pageOfAda, pageOfBob], store, MAX_DELAY_MS);
    for (let round = 0; round < ROUNDS_PER_KILL; round += 1) await race.run(kill * ROUNDS_PER_KILL + round);
    chats.started += race.chats.started;
    chats.none += race.chats.none;
    const pair = createPair(pageOfAda, pageOfBob);
    const sessionId = await interruptBlock(pair, chooseStep(kill));
    await repeatBlock(pair, sessionId);
    await startFirstReplica();
    expect(pageOfAda.socket.seqViolations).toEqual([]);
  }
  expect(pageOfBob.socket.seqViolations).toEqual([]);
  // The two calls have really raced: each outcome has occurred in more than 5 % of the rounds.
  const minRoundsPerOutcome = (KILL_COUNT * ROUNDS_PER_KILL) / 20;
  expect(chats.started).toBeGreaterThan(minRoundsPerOutcome);
  expect(chats.none).toBeGreaterThan(minRoundsPerOutcome);
});

/** The events of the cases about a user, in numbers. */
interface ConductCounts {
  cases: number;
  reports: number;
  decisions: number;
  sanctions: number;
  /** Images that are kept for the cases. */
  holds: number;
  /** Days until the evidence is erased; null while no date is set. */
  evidenceDays: number | null;
}

const afterReport: ConductCounts = {
  cases: 1,
  reports: 1,
  decisions: 0,
  sanctions: 0,
  holds: 1,
  evidenceDays: null,
};
const afterDecision: ConductCounts = {
  ...afterReport,
  decisions: 1,
  sanctions: 1,
  evidenceDays: 183, // the decision can be appealed until then
};

const countConduct = async ({ user }: ThawVisitor): Promise<ConductCounts> => {
  const [row] = await database.dataSource.query<[ConductCounts]>(
    `SELECT count(*) FILTER (WHERE type = 'CaseOpened')::int AS cases,
       count(*) FILTER (WHERE type = 'ReportFiled')::int AS reports,
       count(*) FILTER (WHERE type = 'CaseDecided')::int AS decisions,
       count(*) FILTER (WHERE type = 'SanctionImposed')::int AS sanctions,
       (SELECT count(*)::int FROM upload_holds JOIN conduct_cases ON id = case_id WHERE user_id = $1) AS holds,
       (SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int FROM event_private AS private
        JOIN events AS filed USING (stream_id, event_id)
        WHERE stream_id = 'conduct-' || $1 AND filed.type = 'ReportFiled') AS "evidenceDays"
     FROM events WHERE stream_id = 'conduct-' || $1`,
    [user.id],
  );
  return row;
};

/** Returns the kinds of the notices that the user has received. */
const readNoticeKinds = async ({ user }: ThawVisitor): Promise<unknown[]> => {
  const rows = await database.dataSource.query<{ kind: string }[]>(
    'SELECT kind FROM notices WHERE recipient_id = $1 ORDER BY id',
    [user.id],
  );
  return rows.map(({ kind }) => kind);
};

/** Name of the advisory lock of a report or a decision about the user. */
const getConductLock = ({ user }: ThawVisitor): string => `conduct:${user.id}`;

const receivedStanding = (socket: ThawSocket, kind: string): boolean =>
  socket.all('standing').some((standing) => standing.kind === kind);

const createModerator = async (): Promise<ThawVisitor> => {
  const moderator = await new ThawVisitor(failoverOrigins).register('mia@example.org', 'a good password');
  await database.dataSource.query('UPDATE users SET is_moderator = true WHERE id = $1', [moderator.user.id]);
  return moderator;
};

/** A chat in which Bob has sent an image. */
interface ReportedChat {
  sessionId: string;
  ada: ThawVisitor;
  bob: ThawVisitor;
  socketOfBob: ThawSocket;
}

const createReportedChat = async (): Promise<ReportedChat> => {
  const [ada, bob] = [await createAda(), await createBob()];
  const [socketOfAda, socketOfBob] = [await ada.openSocket(), await bob.openSocket()];
  for (const socket of [socketOfAda, socketOfBob]) await socket.request('join_queue', {});
  const sessionId = String((await socketOfBob.next('chat_matched')).sessionId);
  await socketOfBob.request('random_message', {
    sessionId,
    content: await uploadImage(bob),
    messageType: 'image',
  });
  return { sessionId, ada, bob, socketOfBob };
};

/** Kills the first replica during Ada's report about Bob, and repeats the report at the second one. */
const interruptAndRepeatReport = async (chat: ReportedChat, step: Step): Promise<void> => {
  const { sessionId, ada, bob, socketOfBob } = chat;
  const report = () =>
    ada.call('POST', '/api/reports', {
      reporterId: ada.user.id,
      targetId: bob.user.id,
      category: 'hate',
      sessionId,
    });
  await killDuring({
    step,
    lockName: getConductLock(bob),
    call: report,
    isCommitted: () => returnsRows('SELECT 1 FROM reports WHERE user_id = $1', [bob.user.id]),
    hasReachedRedis: () => receivedStanding(socketOfBob, 'care'),
  });
  expect(await countConduct(bob)).toEqual(afterReport);
  expect(await report()).toMatchObject({ status: 200, body: { state: 'received' } });
  await until(() => receivedStanding(socketOfBob, 'care'));
  expect(await countConduct(bob)).toEqual(afterReport);
  expect(await readNoticeKinds(bob)).toEqual(['care']);
};

/** Kills the first replica while a moderator suspends Bob, and repeats the decision at the second one. */
const interruptAndRepeatDecision = async (
  { ada, bob, socketOfBob }: ReportedChat,
  step: Step,
  moderator: ThawVisitor,
): Promise<void> => {
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
    lockName: getConductLock(bob),
    call: decide,
    isCommitted: () => returnsRows('SELECT 1 FROM sanctions WHERE user_id = $1', [bob.user.id]),
    hasReachedRedis: () => receivedStanding(socketOfBob, 'suspended'),
  });
  // Bob is suspended already, so this route refuses the call.
  expect((await bob.call('GET', `/api/friends/${bob.user.id}`)).status).toBe(403);
  // The repeated decision is refused, because the case is decided. But it publishes the standing again, which closes
  // the sockets of a suspended user.
  expect(await decide()).toMatchObject({ status: 409, body: { code: 'case_changed' } });
  expect(await socketOfBob.closed).toBe(closeCodes.notSignedIn);
  expect(await countConduct(bob)).toEqual(afterDecision);
  const { body: notices } = await bob.call('GET', `/api/notices/${bob.user.id}`);
  expect(notices).toMatchObject([{ kind: 'suspension', facts: FACTS }, { kind: 'care' }]);
  expect(await readNoticeKinds(ada)).toEqual(['report_decided']);
  expect(
    await returnsRows(`SELECT 1 FROM moderator_actions WHERE case_id = $1 AND action = 'decided'`, [id]),
  ).toBe(true);
};

it(`completes interrupted reports and decisions when the call is repeated (${CASE_COUNT} users)`, async () => {
  const moderator = await createModerator();
  for (let index = 0; index < CASE_COUNT; index += 1) {
    const step = chooseStep(index);
    const chat = await createReportedChat();
    await interruptAndRepeatReport(chat, step);
    await startFirstReplica();
    await interruptAndRepeatDecision(chat, step, moderator);
    await startFirstReplica();
  }
});
