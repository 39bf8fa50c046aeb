/**
 * Runs api processes and workers of two releases in one service, behind nginx, with their own PostgreSQL and Redis. The
 * current release is the working tree. The next release also knows the event type `PartnerWaved`, whose events are
 * called waves. With THAW_TEST_LONG=1, further tests build the previous release (the commit that the file
 * `previous-release` names), and roll the whole service from it to the next release and back.
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

/**
 * The processes of a stack, which may be of different releases. Detects processes that exit other than by `replace`. A
 * `Replica` is an api process or a worker.
 */
class MixedService {
  private readonly pids = new Map<string, number | undefined>();

  constructor(readonly stack: Stack) {
    for (const { name, pid } of this.processes) this.pids.set(name, pid);
  }

  /** Stops the processes one after another and starts each again with the program of the release. */
  async replace(processes: readonly Replica[], role: 'api' | 'worker', release: Release): Promise<void> {
    for (const stackProcess of processes) {
      this.expectNoExits();
      await stackProcess.stop();
      await stackProcess.start(release.programs[role]);
      this.pids.set(stackProcess.name, stackProcess.pid);
    }
  }

  /** Expects every process to have the pid with which it was last started. */
  expectNoExits(): void {
    expect(this.processes.map(({ name, pid }) => [name, pid])).toEqual([...this.pids]);
  }

  private get processes(): Replica[] {
    return [...this.stack.replicas, ...this.stack.workers];
  }
}

/** Reads a metric of a process; NaN if the process has no metric of that name. */
const readMetric = async ({ internalPort }: Replica, name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
};

const isReady = async ({ internalPort }: Replica): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).ok;

/** The session id of the pair's chat, which both users know; '' is only for the compiler. */
const getSessionId = ([{ sessionId }]: ChatUserPair): string => sessionId ?? '';

/**
 * The service during a rolling update, which the test makes with `service.replace`. The users of all chats send
 * messages until `finish`. From `startWaving` on, half of the chats also receive waves, which only the next release
 * knows. `WaveSource` appends them to the logs of the chats in Redis, so no replica of the next release has to run.
 */
class UpdateScenario {
  readonly service: MixedService;
  readonly redis: Redis;
  readonly waveSource: WaveSource;
  /** Session ids of the chats that receive waves after `startWaving`. */
  readonly wavedChats: readonly string[];
  /** Session ids of the chats that receive none. */
  readonly plainChats: readonly string[];
  private readonly stopSending: () => Promise<void>;

  constructor(
    readonly stack: Stack,
    readonly pairs: readonly ChatUserPair[],
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
    this.waveSource.start(this.wavedChats, WAVE_EVERY_MS);
  }

  /**
   * Waits until MIN_PROGRESS more messages of each user are acknowledged and, if waves have begun, each waved chat has
   * MIN_PROGRESS more waves.
   */
  async waitForProgress(): Promise<void> {
    const before = this.listProgress();
    await until(
      () => this.listProgress().map((count, index) => count - (before[index] ?? 0)),
      (progress) => progress.every((count) => count >= MIN_PROGRESS),
      PROGRESS_WITHIN_MS,
    );
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
    await this.expectPersisted([...this.wavedChats, ...this.plainChats]);
    const deadLetters = await Promise.all(
      this.stack.workers.map((worker) => readMetric(worker, 'thaw_dead_letters')),
    );
    expect(deadLetters).toEqual(this.stack.workers.map(() => 0));
    this.service.expectNoExits();
  }

  expectPersisted(sessionIds: readonly string[]): Promise<void> {
    const { databaseUrl } = this.stack.stores;
    return expectPersisted(sessionIds, { redis: this.redis, databaseUrl });
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
   * Returns the greatest number of chats that one worker holds back. A worker that finds an event of an unknown type
   * leaves it, and all later events of the chat, in Redis for a newer worker. Several workers may hold the same chat,
   * so their numbers are not added.
   */
  async readMaxHeldChats(): Promise<number> {
    const counts = await Promise.all(
      this.stack.workers.map((worker) => readMetric(worker, 'thaw_held_chats')),
    );
    return Math.max(...counts);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.waveSource.stop(), this.stopSending()]);
    this.waveSource.close();
    await Promise.allSettled(this.pairs.flat().map((user) => user.leave()));
    this.redis.disconnect();
  }

  private listProgress(): number[] {
    const isWaving = this.waveSource.waveIds.size > 0;
    const waves = isWaving ? this.wavedChats.map((sessionId) => this.waveSource.countWaves(sessionId)) : [];
    // Before the first wave, the list has no counts of waves. They come last, so the other counts keep their index.
    return [...this.pairs.flat().map(({ acked }) => acked.size), ...waves];
  }

  /** Waits until every user is connected. @returns the current sockets */
  private waitForSockets() {
    return Promise.all(this.pairs.flat().map(({ socket }) => socket));
  }
}

const folders = new ReleaseFolders();
/** The next release, which knows waves. */
let next: Release;
let stack: Stack | undefined;
let scenario: UpdateScenario | undefined;

beforeAll(async () => {
  next = await buildLaterRelease(folders.make(), partnerWavedChanges);
});

afterEach(async () => {
  await scenario?.close();
  await stack?.stop();
  [scenario, stack] = [undefined, undefined];
});

afterAll(() => folders.remove());

/** Starts the given numbers of api replicas and workers, all of one release. `afterEach` stops them. */
const startService = async (release: Release, replicas: number, workers: number): Promise<Stack> => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas,
    workers,
    programs: release.programs,
    shouldRestart: false,
    // Empty addresses make the stack start its own PostgreSQL and Redis.
    env: { DATABASE_URL: '', REDIS_URL: '', REMATCH_COOLDOWN_S: '0', LOG_LEVEL: 'warn' },
  });
  return stack;
};

/** Matches the users and lets them send messages. `afterEach` closes the scenario. */
const startScenario = async (runningStack: Stack): Promise<UpdateScenario> => {
  scenario = new UpdateScenario(runningStack, await createMatchedPairs(runningStack.url, PAIR_COUNT));
  return scenario;
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
  // The start of the chat has the seq 1, and the message 2. The reason does not reveal the age to the partner.
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
  const mixedStack = await startService(await getCurrentRelease(), 2, 1);
  // One api process is of the next release; the worker is not.
  await mixedStack.replicas[1]?.stop();
  await mixedStack.replicas[1]?.start(next.programs.api);
  const runningScenario = await startScenario(mixedStack);
  runningScenario.startWaving();
  await until(
    () => runningScenario.readMaxHeldChats(),
    (count) => count === runningScenario.wavedChats.length,
    PROGRESS_WITHIN_MS,
  );
  await runningScenario.waitForProgress();
  const { partnerWavedCount, sessionAdvancedCount } = await runningScenario.countFramesOfWaves();
  expect(partnerWavedCount).toBeGreaterThan(0);
  expect(sessionAdvancedCount).toBeGreaterThan(0);
  await runningScenario.expectPersisted(runningScenario.plainChats);
  const [older, newer] = mixedStack.replicas as [Replica, Replica];
  await expectStatedAgeToEndChat(older, newer);
  await expectStatedAgeToEndChat(newer, older);

  await runningScenario.service.replace(mixedStack.workers, 'worker', next);
  await runningScenario.finish();
  expect(await runningScenario.readMaxHeldChats()).toBe(0);
});

const defineTestsOfPreviousRelease = (): void => {
  let previous: Release;

  beforeAll(async () => {
    previous = await buildPreviousRelease(folders.make());
  });

  it('no event is lost when the workers are the first to be updated and the last to be rolled back', async () => {
    const runningScenario = await startScenario(await startService(previous, 3, 2));
    const {
      service,
      stack: { replicas, workers },
    } = runningScenario;
    await runningScenario.waitForProgress();

    await runningScenario.migrate(next);
    await runningScenario.waitForProgress();

    await service.replace(workers, 'worker', next);
    runningScenario.startWaving();
    await runningScenario.waitForProgress();
    await service.replace(replicas.slice(0, 1), 'api', next);
    await runningScenario.waitForProgress();
    const [newer, older] = replicas as [Replica, Replica];
    await expectStatedAgeToEndChat(older, newer);
    await expectStatedAgeToEndChat(newer, older);
    await service.replace(replicas.slice(1), 'api', next);
    await runningScenario.waitForProgress();

    await service.replace(replicas.slice(0, 2), 'api', previous);
    await runningScenario.waitForProgress();
    await service.replace(replicas.slice(2), 'api', previous);
    await runningScenario.waitForProgress();
    await service.replace(workers, 'worker', previous);
    await until(
      () => runningScenario.readMaxHeldChats(),
      (count) => count > 0,
      PROGRESS_WITHIN_MS,
    );
    await runningScenario.waitForProgress();

    // The rollback is complete. Only workers of the next release can store the waves that are held back.
    await service.replace(workers, 'worker', next);
    await runningScenario.finish();
  });

  it('no event is lost when the replicas are the first to be updated and the last to be rolled back', async () => {
    const runningScenario = await startScenario(await startService(previous, 3, 2));
    const {
      service,
      stack: { replicas, workers },
    } = runningScenario;

    await runningScenario.migrate(next);
    await service.replace(replicas, 'api', next);
    runningScenario.startWaving();
    await until(
      () => runningScenario.readMaxHeldChats(),
      (count) => count > 0,
      PROGRESS_WITHIN_MS,
    );
    await runningScenario.waitForProgress();
    await runningScenario.expectPersisted(runningScenario.plainChats);

    await service.replace(workers.slice(0, 1), 'worker', next);
    await runningScenario.waitForProgress();
    await service.replace(workers.slice(1), 'worker', next);
    await runningScenario.waitForProgress();

    await service.replace(workers, 'worker', previous);
    await runningScenario.waitForProgress();
    await service.replace(replicas, 'api', previous);
    await runningScenario.waitForProgress();

    // The rollback is complete. Only workers of the next release can store the waves that are held back.
    await service.replace(workers, 'worker', next);
    await runningScenario.finish();
  });
};

const TITLE = 'a rolling update from the previous release';
if (isLongRun) {
  const canBuild = hasPreviousRelease();
  if (!canBuild)
    console.error(`SKIPPED: ${TITLE}, because git does not have commit ${readPreviousReleaseId()} here.`);
  (canBuild ? describe : describe.skip)(TITLE, defineTestsOfPreviousRelease);
}
