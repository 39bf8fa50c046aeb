/**
 * Runs api processes and workers of two builds in one service, behind nginx, with their own PostgreSQL and Redis. The
 * newer build has one more event type. The long form (THAW_TEST_LONG=1) builds the older one from the commit in
 * `previous-release` and rolls the whole service forward and back; in the short form the older one is the present tree.
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
  getPresentRelease,
  readPreviousReleaseId,
  type Release,
  ReleaseFolders,
} from './releases';
import { partnerWaved, partnerWavedChanges } from './source-changes';
import { WaveSource } from './wave-source';

const run = promisify(execFile);

const isLongRun = process.env.THAW_TEST_LONG === '1';
const PAIRS = isLongRun ? 20 : 4;
const SEND_EVERY_MS = 150;
const WAVE_EVERY_MS = 100;
/** Waves that each chat receives, and messages that each user sends, before the next process is replaced. */
const MIN_PROGRESS = isLongRun ? 10 : 5;

jest.setTimeout(isLongRun ? 20 * 60_000 : 120_000);

/** The processes of a stack. Each may be of another build, and none may exit except through `replace`. */
class MixedService {
  private readonly pids = new Map<string, number | undefined>();

  constructor(readonly stack: Stack) {
    for (const each of this.processes) this.pids.set(each.name, each.pid);
  }

  async replace(processes: readonly Replica[], role: 'api' | 'worker', release: Release): Promise<void> {
    for (const each of processes) {
      this.expectNoExits();
      await each.stop();
      await each.start(release.programs[role]);
      this.pids.set(each.name, each.pid);
    }
  }

  expectNoExits(): void {
    expect(this.processes.map(({ name, pid }) => [name, pid])).toEqual([...this.pids]);
  }

  private get processes(): Replica[] {
    return [...this.stack.replicas, ...this.stack.workers];
  }
}

/** A metric of a process; NaN when it has none of that name. */
const readMetric = async ({ internalPort }: Replica, name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
};

const isReady = async ({ internalPort }: Replica): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).ok;

const getSessionId = ([{ sessionId }]: ChatUserPair): string => sessionId ?? '';

/**
 * The service during one rolling update, with users who chat and a source of events that only the next release knows.
 */
class RollingUpdate {
  readonly service: MixedService;
  readonly redis: Redis;
  readonly waves: WaveSource;
  /** Sessions of the chats that receive waves, and of those that do not. */
  readonly waved: readonly string[];
  readonly plain: readonly string[];
  private readonly stopSending: () => Promise<void>;

  constructor(
    readonly stack: Stack,
    readonly pairs: readonly ChatUserPair[],
  ) {
    this.service = new MixedService(stack);
    this.redis = new Redis(stack.stores.redisUrl);
    this.waves = new WaveSource(stack.stores.redisUrl);
    const sessionIds = pairs.map(getSessionId);
    this.waved = sessionIds.slice(0, PAIRS / 2);
    this.plain = sessionIds.slice(PAIRS / 2);
    this.stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
  }

  startWaving(): void {
    this.waves.start(this.waved, WAVE_EVERY_MS);
  }

  /** Waits until each waved chat has more waves and each plain chat more messages, under the builds that run now. */
  async waitForProgress(): Promise<void> {
    const before = this.listProgress();
    await until(
      () => this.listProgress().map((count, index) => count - (before[index] ?? 0)),
      (progress) => progress.every((count) => count >= MIN_PROGRESS),
      60_000,
    );
    this.service.expectNoExits();
  }

  /** Migrates to the schema of a release, and expects every process of the old build to stay ready. */
  async migrate({ programs }: Release): Promise<void> {
    const { replicas, workers, stores } = this.stack;
    const env = {
      ...process.env,
      MIGRATE_DATABASE_URL: stores.databaseUrl,
      DATABASE_URL: stores.serviceDatabaseUrl ?? stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
    };
    await run(programs.migrate.command, programs.migrate.args, { env });
    expect(await Promise.all([...replicas, ...workers].map(isReady))).not.toContain(false);
  }

  /** Stops messages and waves, and expects that nothing is lost, duplicated, out of order or pending. */
  async finish(): Promise<void> {
    await this.waves.stop();
    await this.stopSending();
    for (const user of this.pairs.flat()) await user.connected;
    await until(() => this.pairs.every(([first, second]) => first.seq === second.seq));
    expect(this.pairs.flatMap(findFaults)).toEqual([]);
    expect((await this.getLastSockets()).flatMap(({ seqViolations }) => seqViolations)).toEqual([]);
    await this.expectPersisted([...this.waved, ...this.plain]);
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

  /** The frames by which waves reached the sockets that are open now. */
  async countFramesOfWaves(): Promise<{ known: number; unknown: number }> {
    const sockets = await this.getLastSockets();
    const count = (event: string): number => sockets.flatMap((socket) => socket.all(event)).length;
    return { known: count(partnerWaved.frame), unknown: count('session_advanced') };
  }

  /** Chats that the present workers hold back, from their metrics. */
  async countHeldChats(): Promise<number> {
    const counts = await Promise.all(
      this.stack.workers.map((worker) => readMetric(worker, 'thaw_held_chats')),
    );
    return Math.max(...counts);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.waves.stop(), this.stopSending()]);
    this.waves.close();
    await Promise.allSettled(this.pairs.flat().map((user) => user.leave()));
    this.redis.disconnect();
  }

  private listProgress(): number[] {
    const isWaving = this.waves.waves.size > 0;
    const waves = isWaving ? this.waved.map((sessionId) => this.waves.countWaves(sessionId)) : [];
    return [...waves, ...this.pairs.flat().map(({ acked }) => acked.size)];
  }

  private getLastSockets() {
    return Promise.all(this.pairs.flat().map(({ connected }) => connected));
  }
}

const folders = new ReleaseFolders();
let next: Release;
let stack: Stack | undefined;
let update: RollingUpdate | undefined;

beforeAll(async () => {
  next = await buildLaterRelease(folders.make(), partnerWavedChanges);
});

afterEach(async () => {
  await update?.close();
  await stack?.stop();
  [update, stack] = [undefined, undefined];
});

afterAll(() => folders.remove());

const startService = async (release: Release, replicas: number, workers: number): Promise<Stack> => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas,
    workers,
    programs: release.programs,
    shouldRestart: false,
    env: { DATABASE_URL: '', REDIS_URL: '', REMATCH_COOLDOWN_S: '0', LOG_LEVEL: 'warn' },
  });
  return stack;
};

const startUpdate = async (mixed: Stack): Promise<RollingUpdate> => {
  update = new RollingUpdate(mixed, await createMatchedPairs(mixed.url, PAIRS));
  return update;
};

const getOrigin = ({ port }: Replica): string => `http://127.0.0.1:${port}`;

/** Expects an age that a user of one replica states to end the chat with a user of the other. */
const expectStatedAgeToEndChat = async (senders: Replica, partners: Replica): Promise<void> => {
  const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
    getOrigin(senders),
    getOrigin(partners),
  ]);
  const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'hey im 15'));
  expect(await bobSocket.next('random_message')).toMatchObject({ id, content: 'hey im 15' });
  const end = { sessionId, seq: 3, reason: 'disconnected', endedBy: null };
  expect(await adaSocket.next('chat_skipped')).toEqual(end);
  expect(await bobSocket.next('chat_skipped')).toEqual(end);
  expect(await adaSocket.next('standing')).toMatchObject({ kind: 'age_question' });
  const notice = await adaSocket.next('notice');
  const answer = { seen: true, answer: 'adult' };
  expect(await ada.call('PUT', `/api/notices/${String(notice.id)}`, answer)).toMatchObject({ status: 200 });
  await Promise.all([ada.closeSockets(), bob.closeSockets()]);
};

it('holds events of a type that only new replicas know for a new worker, and serves all chats meanwhile', async () => {
  const mixed = await startService(await getPresentRelease(), 2, 1);
  await mixed.replicas[1]?.stop();
  await mixed.replicas[1]?.start(next.programs.api);
  const rolling = await startUpdate(mixed);
  rolling.startWaving();
  await until(
    () => rolling.countHeldChats(),
    (count) => count === rolling.waved.length,
    60_000,
  );
  await rolling.waitForProgress();
  const { known, unknown } = await rolling.countFramesOfWaves();
  expect(known).toBeGreaterThan(0);
  expect(unknown).toBeGreaterThan(0);
  await rolling.expectPersisted(rolling.plain);
  const [older, newer] = mixed.replicas as [Replica, Replica];
  await expectStatedAgeToEndChat(older, newer);
  await expectStatedAgeToEndChat(newer, older);

  await rolling.service.replace(mixed.workers, 'worker', next);
  await rolling.finish();
  expect(await rolling.countHeldChats()).toBe(0);
});

const testPreviousRelease = (): void => {
  let previous: Release;

  beforeAll(async () => {
    previous = await buildPreviousRelease(folders.make());
  });

  it('loses nothing when rolling forward and back, workers before replicas', async () => {
    const rolling = await startUpdate(await startService(previous, 3, 2));
    const {
      service,
      stack: { replicas, workers },
    } = rolling;
    await rolling.waitForProgress();

    await rolling.migrate(next);
    await rolling.waitForProgress();

    await service.replace(workers, 'worker', next);
    rolling.startWaving();
    await rolling.waitForProgress();
    await service.replace(replicas.slice(0, 1), 'api', next);
    await rolling.waitForProgress();
    const [newer, older] = replicas as [Replica, Replica];
    await expectStatedAgeToEndChat(older, newer);
    await expectStatedAgeToEndChat(newer, older);
    await service.replace(replicas.slice(1), 'api', next);
    await rolling.waitForProgress();

    await service.replace(replicas.slice(0, 2), 'api', previous);
    await rolling.waitForProgress();
    await service.replace(replicas.slice(2), 'api', previous);
    await rolling.waitForProgress();
    await service.replace(workers, 'worker', previous);
    await until(
      () => rolling.countHeldChats(),
      (count) => count > 0,
      60_000,
    );
    await rolling.waitForProgress();

    await service.replace(workers, 'worker', next);
    await rolling.finish();
  });

  it('loses nothing when rolling forward and back, replicas before workers', async () => {
    const rolling = await startUpdate(await startService(previous, 3, 2));
    const {
      service,
      stack: { replicas, workers },
    } = rolling;

    await rolling.migrate(next);
    await service.replace(replicas, 'api', next);
    rolling.startWaving();
    await until(
      () => rolling.countHeldChats(),
      (count) => count > 0,
      60_000,
    );
    await rolling.waitForProgress();
    await rolling.expectPersisted(rolling.plain);

    await service.replace(workers.slice(0, 1), 'worker', next);
    await rolling.waitForProgress();
    await service.replace(workers.slice(1), 'worker', next);
    await rolling.waitForProgress();

    await service.replace(workers, 'worker', previous);
    await rolling.waitForProgress();
    await service.replace(replicas, 'api', previous);
    await rolling.waitForProgress();

    await service.replace(workers, 'worker', next);
    await rolling.finish();
  });
};

const TITLE = 'a rolling update from the previous release';
if (isLongRun) {
  const isPossible = hasPreviousRelease();
  if (!isPossible)
    console.error(`SKIPPED: ${TITLE}, because git does not have commit ${readPreviousReleaseId()} here.`);
  (isPossible ? describe : describe.skip)(TITLE, testPreviousRelease);
}
