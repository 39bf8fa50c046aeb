/**
 * Runs api processes and workers of two releases in one service, behind nginx, with their own PostgreSQL and Redis. The
 * current release is the working tree. The next release has one more event type, `PartnerWaved`; its events are called
 * waves. With THAW_TEST_LONG=1, further tests build the previous release (the commit that the file `previous-release`
 * names), and roll the whole service from it to the next release and back.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import type { Replica, Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  findFaults,
  startSending,
  type ChatUserPair,
  createMatchedPairs,
} from '../../src/testing/chat-user.driver';
import { matchNewVisitors, textMessage } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';
import { expectPersisted } from '../persisted-chats';
import { MixedService, type ServiceProcess } from './mixed-service';
import {
  buildLaterRelease,
  buildPreviousRelease,
  hasPreviousRelease,
  getCurrentRelease,
  readPreviousReleaseId,
  type Release,
  ReleaseFolders,
} from './releases';
import { partnerWaved, partnerWavedChanges } from './source-changes';
import { WaveSource } from './wave-source';

const runProgram = promisify(execFile);

const isLongRun = process.env.THAW_TEST_LONG === '1';
const PAIR_COUNT = isLongRun ? 20 : 4;
const SEND_EVERY_MS = 150;
const WAVE_EVERY_MS = 100;
const PROGRESS_WITHIN_MS = 60_000;
/** Number of messages of each user, and of waves in each chat that receives them, for which `waitForProgress` waits. */
const MIN_PROGRESS = isLongRun ? 10 : 5;

jest.setTimeout(isLongRun ? 20 * 60_000 : 120_000);

/** Reads a metric of a process; NaN if the process has no metric of that name. */
const readMetric = async ({ internalPort }: ServiceProcess, name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
};

const isReady = async ({ internalPort }: ServiceProcess): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).ok;

/** Waits until the count is MIN_PROGRESS greater than now. */
const waitForMore = (readCount: () => number): Promise<number> => {
  const target = readCount() + MIN_PROGRESS;
  return until(readCount, (count) => count >= target, PROGRESS_WITHIN_MS);
};

/** The session id of the pair's chat, which both users know. */
const getSessionId = ([{ sessionId }]: ChatUserPair): string => {
  if (sessionId === undefined) throw new Error('The users are not matched');
  return sessionId;
};

/**
 * The service during a rolling update, which the test makes by means of `service`. The users of all chats send messages
 * until `finish`. From `startWaving` on, half of the chats also receive waves. `WaveSource` appends them to the logs of
 * the chats in Redis, so no replica of the next release has to run.
 */
class UpdateScenario {
  readonly service: MixedService;
  /** Session ids of the chats that receive waves after `startWaving`. */
  readonly wavedChats: readonly string[];
  /** Session ids of the chats that receive none. */
  private readonly plainChats: readonly string[];
  private readonly redis: Redis;
  private readonly waveSource: WaveSource;
  private isWaving = false;
  private readonly stopSending: () => Promise<void>;

  constructor(
    private readonly stack: Stack,
    private readonly pairs: readonly ChatUserPair[],
  ) {
    this.service = new MixedService(stack);
    this.redis = new Redis(stack.stores.redisUrl);
    this.waveSource = new WaveSource(stack.stores.redisUrl);
    const sessionIds = pairs.map(getSessionId);
    this.wavedChats = sessionIds.slice(0, PAIR_COUNT / 2);
    this.plainChats = sessionIds.slice(PAIR_COUNT / 2);
    this.stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
  }

  startWaving(): void {
    this.isWaving = true;
    this.waveSource.start(this.wavedChats, WAVE_EVERY_MS);
  }

  /**
   * Waits until MIN_PROGRESS more messages of each user are acknowledged and, after `startWaving`, each waved chat has
   * MIN_PROGRESS more waves.
   */
  async waitForProgress(): Promise<void> {
    const users = this.pairs.flat();
    const chatsWithWaves = this.isWaving ? this.wavedChats : [];
    await Promise.all([
      ...users.map(({ acked }) => waitForMore(() => acked.size)),
      ...chatsWithWaves.map((sessionId) => waitForMore(() => this.waveSource.countWaves(sessionId))),
    ]);
    this.service.expectNoExits();
  }

  /** Migrates to the schema of a release. Expects every running process to stay ready. */
  async migrate({ programs }: Release): Promise<void> {
    const { replicas, workers, stores } = this.stack;
    const env = {
      ...process.env,
      MIGRATE_DATABASE_URL: stores.databaseUrl,
      DATABASE_URL: stores.serviceDatabaseUrl ?? stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
    };
    await runProgram(programs.migrate.command, programs.migrate.args, { env });
    expect(await Promise.all([...replicas, ...workers].map(isReady))).not.toContain(false);
  }

  /** Stops messages and waves. Expects that no event is lost, duplicated, out of order or pending. */
  async finish(): Promise<void> {
    await this.waveSource.stop();
    await this.stopSending();
    const sockets = await this.waitForSockets();
    // All messages are acknowledged. Once both users have seen the same last `seq`, each has the other's messages.
    await until(() => this.pairs.every(([first, second]) => first.seq === second.seq));
    expect(this.pairs.flatMap(findFaults)).toEqual([]);
    expect(sockets.flatMap(({ seqViolations }) => seqViolations)).toEqual([]);
    await this.expectChatsPersisted([...this.wavedChats, ...this.plainChats]);
    const deadLetters = await Promise.all(
      this.stack.workers.map((worker) => readMetric(worker, 'thaw_dead_letters')),
    );
    expect(deadLetters).toEqual(this.stack.workers.map(() => 0));
    this.service.expectNoExits();
  }

  expectPlainChatsPersisted(): Promise<void> {
    return this.expectChatsPersisted(this.plainChats);
  }

  /**
   * Counts the frames that the open sockets have received for waves: `partner_waved` from replicas that know the event
   * type, `session_advanced` from other replicas.
   */
  async countFramesOfWaves(): Promise<{ partnerWavedCount: number; sessionAdvancedCount: number }> {
    const sockets = await this.waitForSockets();
    const count = (event: string): number => sockets.flatMap((socket) => socket.all(event)).length;
    return {
      partnerWavedCount: count(partnerWaved.frame),
      sessionAdvancedCount: count('session_advanced'),
    };
  }

  /**
   * Returns the greatest number of chats that one worker holds: a worker that finds an event of an unknown type leaves
   * it, and all later events of the chat, in Redis for a newer worker. Several workers may hold the same chat, so their
   * numbers are not added.
   */
  async readMaxHeldChats(): Promise<number> {
    const counts = await Promise.all(
      this.stack.workers.map((worker) => readMetric(worker, 'thaw_held_chats')),
    );
    return Math.max(...counts);
  }

  /** Waits until `isExpected` accepts the result of `readMaxHeldChats`. */
  async waitForHeldChats(isExpected: (count: number) => boolean): Promise<void> {
    await until(() => this.readMaxHeldChats(), isExpected, PROGRESS_WITHIN_MS);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.waveSource.stop(), this.stopSending()]);
    this.waveSource.close();
    await Promise.allSettled(this.pairs.flat().map((user) => user.leave()));
    this.redis.disconnect();
  }

  private expectChatsPersisted(sessionIds: readonly string[]): Promise<void> {
    const { databaseUrl } = this.stack.stores;
    return expectPersisted(sessionIds, { redis: this.redis, databaseUrl });
  }

  /** Waits until every user is connected. @returns the current sockets */
  private waitForSockets() {
    return Promise.all(this.pairs.flat().map(({ socket }) => socket));
  }
}

const folders = new ReleaseFolders();
/** The next release, which knows waves. */
let next: Release;
let stackToStop: Stack | undefined;
let scenarioToClose: UpdateScenario | undefined;

beforeAll(async () => {
  next = await buildLaterRelease(folders.make(), partnerWavedChanges);
});

afterEach(async () => {
  await scenarioToClose?.close();
  await stackToStop?.stop();
  [scenarioToClose, stackToStop] = [undefined, undefined];
});

afterAll(() => folders.remove());

/** Starts api replicas and workers, all of one release. `afterEach` stops them. */
const startService = async (
  { programs }: Release,
  counts: { replicas: number; workers: number },
): Promise<Stack> => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stackToStop = await startStack({
    ...counts,
    programs,
    shouldRestart: false, // a restart would hide a process that has died
    // Empty addresses make the stack start its own PostgreSQL and Redis.
    env: { DATABASE_URL: '', REDIS_URL: '', REMATCH_COOLDOWN_S: '0', LOG_LEVEL: 'warn' },
  });
  return stackToStop;
};

/** Matches the users and lets them send messages. `afterEach` closes the scenario. */
const startScenario = async (stack: Stack): Promise<UpdateScenario> => {
  scenarioToClose = new UpdateScenario(stack, await createMatchedPairs(stack.url, PAIR_COUNT));
  return scenarioToClose;
};

const getOrigin = ({ port }: Replica): string => `http://127.0.0.1:${port}`;

/** Expects that a chat ends for both users, on replicas of different releases, when one states an age under 18. */
const expectStatedAgeToEndChat = async (
  replicaOfSender: Replica,
  replicaOfPartner: Replica,
): Promise<void> => {
  const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
    getOrigin(replicaOfSender),
    getOrigin(replicaOfPartner),
  ]);
  const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'hey im 15'));
  expect(await bobSocket.next('random_message')).toMatchObject({ id, content: 'hey im 15' });
  // The seq of the start of the chat is 1, that of the message 2. The reason does not reveal the age to the partner.
  const end = { sessionId, seq: 3, reason: 'disconnected', endedBy: null };
  expect(await adaSocket.next('chat_skipped')).toEqual(end);
  expect(await bobSocket.next('chat_skipped')).toEqual(end);
  expect(await adaSocket.next('standing')).toMatchObject({ kind: 'age_question' });
  const notice = await adaSocket.next('notice');
  const answer = { seen: true, answer: 'adult' };
  expect(await ada.call('PUT', `/api/notices/${String(notice.id)}`, answer)).toMatchObject({ status: 200 });
  await Promise.all([ada.closeSockets(), bob.closeSockets()]);
};

it('a worker leaves events of an unknown type to workers of the next release, and all chats continue', async () => {
  const stack = await startService(await getCurrentRelease(), { replicas: 2, workers: 1 });
  const [older, newer] = stack.replicas as [Replica, Replica];
  await newer.stop();
  await newer.start(next.programs.api);
  const scenario = await startScenario(stack);
  scenario.startWaving();
  await scenario.waitForHeldChats((count) => count === scenario.wavedChats.length);
  await scenario.waitForProgress();
  const { partnerWavedCount, sessionAdvancedCount } = await scenario.countFramesOfWaves();
  expect(partnerWavedCount).toBeGreaterThan(0);
  expect(sessionAdvancedCount).toBeGreaterThan(0);
  await scenario.expectPlainChatsPersisted();
  await expectStatedAgeToEndChat(older, newer);
  await expectStatedAgeToEndChat(newer, older);

  await scenario.service.replaceWorkers(stack.workers, next);
  await scenario.finish();
  expect(await scenario.readMaxHeldChats()).toBe(0);
});

const defineTestsOfPreviousRelease = (): void => {
  let previous: Release;

  beforeAll(async () => {
    previous = await buildPreviousRelease(folders.make());
  });

  it('no event is lost when the workers are the first to be updated and the last to be rolled back', async () => {
    const stack = await startService(previous, { replicas: 3, workers: 2 });
    const { replicas, workers } = stack;
    const scenario = await startScenario(stack);
    const { service } = scenario;
    await scenario.waitForProgress();

    // The update.
    await scenario.migrate(next);
    await scenario.waitForProgress();
    await service.replaceWorkers(workers, next);
    scenario.startWaving();
    await scenario.waitForProgress();
    await service.replaceReplicas(replicas.slice(0, 1), next);
    await scenario.waitForProgress();
    const [newer, older] = replicas as [Replica, Replica];
    await expectStatedAgeToEndChat(older, newer);
    await expectStatedAgeToEndChat(newer, older);
    await service.replaceReplicas(replicas.slice(1), next);
    await scenario.waitForProgress();

    // The rollback.
    await service.replaceReplicas(replicas.slice(0, 2), previous);
    await scenario.waitForProgress();
    await service.replaceReplicas(replicas.slice(2), previous);
    await scenario.waitForProgress();
    await service.replaceWorkers(workers, previous);
    await scenario.waitForHeldChats((count) => count > 0);
    await scenario.waitForProgress();

    // Only workers of the next release can store the waves of the held chats.
    await service.replaceWorkers(workers, next);
    await scenario.finish();
  });

  it('no event is lost when the replicas are the first to be updated and the last to be rolled back', async () => {
    const stack = await startService(previous, { replicas: 3, workers: 2 });
    const { replicas, workers } = stack;
    const scenario = await startScenario(stack);
    const { service } = scenario;

    // The update.
    await scenario.migrate(next);
    await service.replaceReplicas(replicas, next);
    scenario.startWaving();
    await scenario.waitForHeldChats((count) => count > 0);
    await scenario.waitForProgress();
    await scenario.expectPlainChatsPersisted();
    await service.replaceWorkers(workers.slice(0, 1), next);
    await scenario.waitForProgress();
    await service.replaceWorkers(workers.slice(1), next);
    await scenario.waitForProgress();

    // The rollback.
    await service.replaceWorkers(workers, previous);
    await scenario.waitForProgress();
    await service.replaceReplicas(replicas, previous);
    await scenario.waitForProgress();

    // Only workers of the next release can store the waves of the held chats.
    await service.replaceWorkers(workers, next);
    await scenario.finish();
  });
};

if (isLongRun) {
  const title = 'a rolling update from the previous release';
  if (hasPreviousRelease()) {
    describe(title, defineTestsOfPreviousRelease);
  } else {
    console.error(`SKIPPED: ${title}, because git does not have commit ${readPreviousReleaseId()} here.`);
    describe.skip(title, defineTestsOfPreviousRelease);
  }
}
