/**
 * Runs two api processes on real PostgreSQL and Redis. The one that serves a call is killed between two steps of a
 * block, a report and a decision, which repeating the call completes. Between the blocks, blocks and matches race over
 * both processes: 10,000 rounds in the long form (THAW_TEST_LONG=1).
 */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeCodes } from '@thaw/contract/close-codes';
import type { ModerationCase } from '@thaw/contract/moderation';
import { matchingKeys } from '../../src/platform/redis/redis.keys';
import { BlockRace, listEvents, greetPartners, type RacingUser } from '../../src/testing/block-race.driver';
import { type CuttableLink, startCuttableLink } from '../../src/testing/cuttable-link.proxy';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';
import { createTestRedis, type TestRedis } from '../../src/testing/test-redis.harness';
import { FACTS, formatInHours } from '../../src/testing/moderation.fixture';
import { createPlainJpeg } from '../../src/testing/image-corpus.fixture';
import { textMessage, ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { ThawProcess } from '../thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const KILLS = Number(process.env.THAW_TEST_KILLS ?? (isLongRun ? 100 : 2));
const ROUNDS_PER_KILL = isLongRun ? 100 : 5;
const MAX_DELAY_MS = 20;
/** Cases whose report and decision are killed. */
const KILLED_CASES = isLongRun ? 20 : 1;

jest.setTimeout(isLongRun ? 7_200_000 : 120_000);

/** Where the process dies: before or after what Redis does for the call, and before the answer in any case. */
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
let storage: string;

beforeAll(async () => {
  [database, store] = await Promise.all([createTestDatabase(), createTestRedis()]);
  link = await startCuttableLink(store.url);
  storage = await mkdtemp(join(tmpdir(), 'thaw-kills-'));
  const settings = {
    DATABASE_URL: database.url,
    SESSION_SECRET: 'a secret of a test of 32 bytes or more',
    SAFETY_SECRET: 'another secret of a test of 32 bytes or more',
    HOST: '127.0.0.1',
    INTERNAL_PORT: '0',
    LIMITS_PROFILE: 'load',
    REMATCH_COOLDOWN_S: '0',
    REMATCH_RELAX_AFTER_S: '0',
    CARE_FLAG_REPORTERS: '1',
    STORAGE_DIR: storage,
  };
  replicas = [
    new Replica({ ...settings, REDIS_URL: link.url }, await findPort()),
    new Replica({ ...settings, REDIS_URL: store.url }, await findPort()),
  ];
  await Promise.all(replicas.map((replica) => replica.start()));
});

afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.kill()));
  await link?.close();
  await Promise.all([database?.close(), store?.close()]);
  if (storage) await rm(storage, { recursive: true });
});

const exists = async (query: string, parameters: readonly unknown[] = []): Promise<boolean> =>
  (await database.dataSource.query<unknown[]>(query, [...parameters])).length > 0;

/** The first replica serves a call, and is killed at a step of it. */
interface Kill {
  step: Step;
  /** The name of the lock for which the call waits before it commits. */
  lock: string;
  call: () => Promise<unknown>;
  isCommitted: () => Promise<boolean>;
  hasReachedRedis: () => boolean | Promise<boolean>;
}

const killDuring = async ({ step, lock, call, isCommitted, hasReachedRedis }: Kill): Promise<void> => {
  const runner = database.dataSource.createQueryRunner();
  let answer: Promise<unknown>;
  try {
    await runner.startTransaction();
    await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
    answer = call().catch(() => 'no answer');
    await until(() => exists(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`));
    if (step === 'after the commit') link.freeze();
    else link.freezeAnswers();
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

/** @returns the address of an image that the user has uploaded. */
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

it(`completes each interrupted block by repeating the call (${KILLS} kills, ${KILLS * ROUNDS_PER_KILL} rounds)`, async () => {
  const [first, second] = replicas;
  const originsOfAda = [first.origin]; // changed while the first replica is down
  const ada = await createUser(originsOfAda, 'female');
  const bob = await createUser([second.origin], 'male');
  const ids = [ada.user.id, bob.user.id] as const;
  await database.dataSource.query(
    `INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at) VALUES (1, 'chat-earlier', $1, $2, now())`,
    [...ids],
  );
  const coolDown = () => store.redis.get(matchingKeys.coolDown(...ids));
  const openPage = async (visitor: ThawVisitor): Promise<RacingUser> => {
    const socket = await visitor.openSocket();
    greetPartners(socket);
    return { visitor, socket };
  };
  const pageOfBob = await openPage(bob);

  const killAt = async (step: Step, pageOfAda: RacingUser): Promise<void> => {
    const race = new BlockRace([pageOfAda, pageOfBob], store, 0);
    for (const { socket } of race.users) {
      socket.frames.length = 0;
      await socket.request('join_queue', {});
    }
    const sessionId = String((await pageOfBob.socket.next('chat_matched')).sessionId);
    await until(async () => (await race.readStates()).every((state) => state === 'chatting'));
    await killDuring({
      step,
      lock: `blocks.pair:${Math.min(...ids)}-${Math.max(...ids)}`,
      call: () => race.block(ada, bob),
      isCommitted: () => exists('SELECT 1 FROM blocks WHERE blocker_id = $1 AND blocked_id = $2', ids),
      hasReachedRedis: async () => (await coolDown()) === 'x',
    });
    expect(await race.readStates()).toEqual(['chatting', 'chatting']);
    expect(listEvents(pageOfBob.socket, sessionId)).not.toContain('chat_skipped');

    originsOfAda[0] = second.origin;
    expect(await race.block(ada, bob)).toMatchObject({ status: 200 });
    const tab = await ada.openSocket();
    expect(await tab.ask('random_message', textMessage(sessionId, 'late'))).toMatchObject({ event: 'error' });
    await new BlockRace([{ visitor: ada, socket: tab }, pageOfBob], store, 0).expectNoOpenChat();
    expect(listEvents(pageOfBob.socket, sessionId).at(-1)).toBe('chat_skipped');
    await race.unblock(ada, bob);
    await tab.leave();
    await first.start();
    originsOfAda[0] = first.origin;
  };

  const chats = { started: 0, none: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const pageOfAda = await openPage(ada);
    const race = new BlockRace([pageOfAda, pageOfBob], store, MAX_DELAY_MS);
    for (let round = 0; round < ROUNDS_PER_KILL; round += 1) await race.run(kill * ROUNDS_PER_KILL + round);
    chats.started += race.chats.started;
    chats.none += race.chats.none;
    await killAt(kill % 2 ? 'after the commit' : 'after Redis', pageOfAda);
    expect(pageOfAda.socket.seqViolations).toEqual([]);
  }
  expect(pageOfBob.socket.seqViolations).toEqual([]);
  // Both outcomes must occur: without either, the two calls have not raced.
  const minRounds = (KILLS * ROUNDS_PER_KILL) / 20;
  expect(chats.started).toBeGreaterThan(minRounds);
  expect(chats.none).toBeGreaterThan(minRounds);
});

it(`completes interrupted reports and decisions by repeating the call (${KILLED_CASES} users)`, async () => {
  const [first, second] = replicas;
  const origins = [first.origin]; // changed while the first replica is down
  const restartFirst = async () => {
    await first.start();
    origins[0] = first.origin;
  };
  const readNotices = async ({ user }: ThawVisitor): Promise<unknown[]> => {
    const rows = await database.dataSource.query<{ kind: string }[]>(
      'SELECT kind FROM notices WHERE recipient_id = $1 ORDER BY id',
      [user.id],
    );
    return rows.map(({ kind }) => kind);
  };
  const mia = await new ThawVisitor(origins).register('mia@example.org', 'a good password');
  await database.dataSource.query('UPDATE users SET is_moderator = true WHERE id = $1', [mia.user.id]);

  for (let index = 0; index < KILLED_CASES; index += 1) {
    const step: Step = index % 2 ? 'after Redis' : 'after the commit';
    const ada = await createUser(origins, 'female');
    const bob = await createUser([second.origin], 'male');
    const [pageOfAda, pageOfBob] = [await ada.openSocket(), await bob.openSocket()];
    for (const page of [pageOfAda, pageOfBob]) await page.request('join_queue', {});
    const sessionId = String((await pageOfBob.next('chat_matched')).sessionId);
    await pageOfBob.request('random_message', {
      sessionId,
      content: await uploadImage(bob),
      messageType: 'image',
    });
    const lock = `conduct:${bob.user.id}`;
    const hasStanding = (kind: string) =>
      pageOfBob.all('standing').some((standing) => standing.kind === kind);
    /** What the log and its personal data have about the target; of the evidence, the days until it is erased. */
    const readConduct = async () => {
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
      lock,
      call: report,
      isCommitted: () => exists('SELECT 1 FROM reports WHERE user_id = $1', [bob.user.id]),
      hasReachedRedis: () => hasStanding('care'),
    });
    const reported = { cases: 1, reports: 1, decisions: 0, sanctions: 0, holds: 1, evidenceDays: null };
    expect(await readConduct()).toEqual(reported);
    origins[0] = second.origin;
    expect(await report()).toMatchObject({ status: 200, body: { state: 'received' } });
    await until(() => hasStanding('care'));
    expect(await readConduct()).toEqual(reported);
    expect(await readNotices(bob)).toEqual(['care']);
    await restartFirst();

    const { body: queue } = await mia.call('GET', '/api/moderation/cases');
    const { id, version } = (queue.cases as ModerationCase[]).find(({ userId }) => userId === bob.user.id)!;
    const decide = () =>
      mia.call('POST', `/api/moderation/cases/${id}/decision`, {
        version,
        outcome: 'suspended',
        rule: 'no_hate',
        facts: FACTS,
        until: formatInHours(24),
      });
    await killDuring({
      step,
      lock,
      call: decide,
      isCommitted: () => exists('SELECT 1 FROM sanctions WHERE user_id = $1', [bob.user.id]),
      hasReachedRedis: () => hasStanding('suspended'),
    });
    expect((await bob.call('GET', `/api/friends/${bob.user.id}`)).status).toBe(403);
    origins[0] = second.origin;
    expect(await decide()).toMatchObject({ status: 409, body: { code: 'case_changed' } });
    expect(await pageOfBob.closed).toBe(closeCodes.notSignedIn);
    const decided = { ...reported, decisions: 1, sanctions: 1, evidenceDays: 183 };
    expect(await readConduct()).toEqual(decided);
    const { body: notices } = await bob.call('GET', `/api/notices/${bob.user.id}`);
    expect(notices).toMatchObject([{ kind: 'suspension', facts: FACTS }, { kind: 'care' }]);
    expect(await readNotices(ada)).toEqual(['report_decided']);
    expect(
      await exists(`SELECT 1 FROM moderator_actions WHERE case_id = $1 AND action = 'decided'`, [id]),
    ).toBe(true);
    await restartFirst();
  }
});
