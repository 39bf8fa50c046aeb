/**
 * Runs two api processes on real PostgreSQL and Redis. The one that serves a blocker is killed between two steps of the
 * block, which repeating the call completes. In between, blocks and matches race over both processes: 10,000 rounds in
 * the long form (THAW_TEST_LONG=1).
 */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { matchingKeys } from '../../src/platform/redis/redis.keys';
import { BlockRace, eventsOf, greetPartners, type RacingUser } from '../../src/testing/block-race.driver';
import { type CuttableLink, startCuttableLink } from '../../src/testing/cuttable-link.proxy';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';
import { createTestRedis, type TestRedis } from '../../src/testing/test-redis.harness';
import { textMessage, ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { ThawProcess } from '../thaw-process';

const isLong = process.env.THAW_TEST_LONG === '1';
const KILLS = Number(process.env.THAW_TEST_KILLS ?? (isLong ? 100 : 2));
const ROUNDS_PER_KILL = isLong ? 100 : 5;
const MAX_DELAY_MS = 20;

jest.setTimeout(isLong ? 7_200_000 : 120_000);

/** Where the process dies. */
type Step = 'after the commit' | 'after the script';

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

beforeAll(async () => {
  [database, store] = await Promise.all([createTestDatabase(), createTestRedis()]);
  link = await startCuttableLink(store.url);
  const settings = {
    DATABASE_URL: database.url,
    SESSION_SECRET: 'a secret of a test of 32 bytes or more',
    SAFETY_SECRET: 'another secret of a test of 32 bytes or more',
    HOST: '127.0.0.1',
    INTERNAL_PORT: '0',
    LIMITS_PROFILE: 'load',
    REMATCH_COOLDOWN_S: '0',
    REMATCH_RELAX_AFTER_S: '0',
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
});

const exists = async (query: string, parameters: readonly unknown[] = []): Promise<boolean> =>
  (await database.dataSource.query<unknown[]>(query, [...parameters])).length > 0;

/** Holds the lock of a pair, for which a block waits before it commits, while `work` runs. */
const holdPair = async (users: readonly [number, number], work: () => Promise<void>): Promise<void> => {
  const runner = database.dataSource.createQueryRunner();
  const pair = `${Math.min(...users)}-${Math.max(...users)}`;
  try {
    await runner.startTransaction();
    await runner.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`blocks.pair:${pair}`]);
    await work();
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
};

const createUser = async (origins: string[], gender: 'female' | 'male'): Promise<ThawVisitor> =>
  new ThawVisitor(origins).joinAnonymously(gender);

it(`completes each block whose process was killed, by repeating the call, in ${KILLS} kills and ${KILLS * ROUNDS_PER_KILL} rounds`, async () => {
  const [first, second] = replicas;
  const originsOfAda = [first.origin]; // changed while the first replica is away
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
    let blocking: Promise<unknown> = Promise.resolve();
    await holdPair(ids, async () => {
      blocking = race.block(ada, bob).catch(() => 'no answer');
      await until(() => exists(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`));
      if (step === 'after the commit') link.freeze();
      else link.freezeAnswers();
    });
    await until(() => exists('SELECT 1 FROM blocks WHERE blocker_id = $1 AND blocked_id = $2', ids));
    if (step === 'after the script') await until(async () => (await coolDown()) === 'x');
    await first.kill();
    await link.restore();
    expect(await blocking).toBe('no answer');
    expect(await coolDown()).toBe(step === 'after the script' ? 'x' : null);
    expect(await race.readStates()).toEqual(['chatting', 'chatting']);
    expect(eventsOf(pageOfBob.socket, sessionId)).not.toContain('chat_skipped');

    originsOfAda[0] = second.origin;
    expect(await race.block(ada, bob)).toMatchObject({ status: 200 });
    const tab = await ada.openSocket();
    expect(await tab.ask('random_message', textMessage(sessionId, 'late'))).toMatchObject({ event: 'error' });
    await new BlockRace([{ visitor: ada, socket: tab }, pageOfBob], store, 0).expectNoOpenChat();
    expect(eventsOf(pageOfBob.socket, sessionId).at(-1)).toBe('chat_skipped');
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
    await killAt(kill % 2 ? 'after the commit' : 'after the script', pageOfAda);
    expect(pageOfAda.socket.disorders).toEqual([]);
  }
  expect(pageOfBob.socket.disorders).toEqual([]);
  // Rounds in which only one of the two is ever first would prove nothing.
  const least = (KILLS * ROUNDS_PER_KILL) / 20;
  expect(chats.started).toBeGreaterThan(least);
  expect(chats.none).toBeGreaterThan(least);
});
