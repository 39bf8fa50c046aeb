// Uses real Redis and BullMQ. The job `persist_lane` copies the events of one shard group (`lane` in its data) to
// PostgreSQL.
import { Logger } from '@nestjs/common';
import type { Environment } from '../../config/environment.config';
import { listPrimaries } from '../redis/redis-nodes.functions';
import { createTestRedis, type TestRedis } from '../../testing/test-redis.harness';
import { until } from '../../testing/until.functions';
import { JobHandlerRegistry } from './job-handler.registry';
import { type JobData, type JobName, jobNames } from './job-name.registry';
import { JobQueueService } from './job-queue.service';
import { JobWorkerService } from './job-worker.service';

jest.setTimeout(20_000);

/** @returns a promise for which a job can wait, and the function that resolves it. */
const createLatch = (): { released: Promise<void>; release: () => void } => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { released, release };
};

describe('JobQueueService and JobWorkerService', () => {
  let store: TestRedis;
  let queue: JobQueueService;
  const workers: JobWorkerService[] = [];
  let isSchemaReady = true;

  const createEnvironment = () => ({ REDIS_URL: store.url }) as Environment;
  const createHandlers = <Name extends JobName>(
    name: Name,
    handler: (data: JobData[Name]) => Promise<void>,
  ): JobHandlerRegistry => {
    const handlers = new JobHandlerRegistry();
    for (const other of jobNames) if (other !== name) handlers.register(other, async () => undefined);
    handlers.register(name, handler);
    return handlers;
  };
  const startWorker = (handlers: JobHandlerRegistry): void => {
    const worker = new JobWorkerService(createEnvironment(), handlers, {
      isReady: async () => isSchemaReady,
    });
    workers.push(worker);
    worker.onApplicationBootstrap();
  };
  /**
   * Adds a `persist_lane` job as the outbox scheduler does: while a job of the group is running, at most one more is
   * kept.
   */
  const addGroupJob = (group: number) =>
    queue.add(
      'persist_lane',
      // eslint-disable-next-line plain-words/identifiers -- the stored name (docs/stored-names.md)
      { lane: group },
      { deduplication: { id: `persist_lane_${group}`, keepLastIfActive: true } },
    );
  const waitUntilIdle = () =>
    until(
      () => queue.countJobs(),
      ({ waiting, active, delayed }) => waiting === 0 && active === 0 && delayed === 0,
    );

  beforeAll(async () => {
    Logger.overrideLogger(false);
    store = await createTestRedis();
  });
  beforeEach(async () => {
    await store.flush();
    queue = new JobQueueService(createEnvironment());
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await queue.onApplicationShutdown();
  });
  afterAll(() => store.close());

  it.each([
    ['succeeds', false],
    ['fails', true],
  ])('runs a job only once more if it was added 20 times during a run that %s', async (_, isFailing) => {
    const runs: number[] = [];
    const { released, release } = createLatch();
    startWorker(
      createHandlers('persist_lane', async ({ lane }) => {
        runs.push(lane);
        if (runs.length > 1) return;
        await released;
        if (isFailing) throw new Error('a store is unavailable');
      }),
    );
    await addGroupJob(1);
    await until(() => runs.length === 1);
    await Promise.all(Array.from({ length: 20 }, () => addGroupJob(1)));
    release();
    await until(() => runs.length === 2);
    await waitUntilIdle();
    expect(runs).toEqual([1, 1]);
  });

  it('runs jobs of other shard groups while the job of one group is running', async () => {
    const runs: number[] = [];
    const { released, release } = createLatch();
    startWorker(
      createHandlers('persist_lane', async ({ lane }) => {
        runs.push(lane);
        if (lane === 1) await released;
      }),
    );
    for (const group of [1, 2, 3]) await addGroupJob(group);
    await until(() => runs.length === 3);
    expect(new Set(runs)).toEqual(new Set([1, 2, 3]));
    release();
    await waitUntilIdle();
  });

  it('adds a job although Redis refuses the version check of BullMQ', async () => {
    // The version check reads INFO, which this user may not call.
    const rights = ['on', '>secret', '~*', '&*', '+@all', '-info'];
    for (const primary of listPrimaries(store.redis))
      await primary.call('ACL', 'SETUSER', 'without-info', ...rights);
    const url = store.url.replace(/\/\/(.*@)?/, '//without-info:secret@');
    const restrictedQueue = new JobQueueService({ REDIS_URL: url } as Environment);
    await restrictedQueue.add('sweep_uploads', {});
    expect((await queue.countJobs()).waiting).toBe(1);
    await restrictedQueue.onApplicationShutdown();
    for (const primary of listPrimaries(store.redis)) await primary.call('ACL', 'DELUSER', 'without-info');
  });

  it('runs a scheduled job once per interval, however many processes create its schedule', async () => {
    const everyMs = 300;
    let runs = 0;
    startWorker(
      createHandlers('sweep_uploads', async () => {
        runs += 1;
      }),
    );
    const otherQueues = [new JobQueueService(createEnvironment()), new JobQueueService(createEnvironment())];
    await Promise.all([queue, ...otherQueues].map((each) => each.schedule('sweep_uploads', {}, everyMs)));
    const startedAt = Date.now();
    await until(() => runs >= 4);
    const elapsedMs = Date.now() - startedAt;
    // One run per whole interval, and up to two others: the immediate one, and one due just after `startedAt`.
    expect(runs).toBeLessThanOrEqual(elapsedMs / everyMs + 2);
    await Promise.all(otherQueues.map((other) => other.onApplicationShutdown()));
  });

  it('runs jobs only while the schema is up to date', async () => {
    /** Whether the schema was up to date, at each run of a job. */
    const readinessAtRuns: boolean[] = [];
    isSchemaReady = false;
    startWorker(createHandlers('persist_lane', async () => void readinessAtRuns.push(isSchemaReady)));
    const [worker] = workers;
    await addGroupJob(1);
    await until(
      () => queue.countJobs(),
      ({ waiting }) => waiting === 1,
    );
    expect(worker?.isRunning).toBe(false);
    isSchemaReady = true;
    await until(() => readinessAtRuns.length === 1);
    isSchemaReady = false;
    await until(() => worker?.isRunning === false);
    // A fetch in progress may still return this job. The worker then drops it: the outbox scheduler would add it again.
    await addGroupJob(2);
    isSchemaReady = true;
    await until(() => worker?.isRunning === true);
    await addGroupJob(3);
    // The runs of the jobs 1 and 3, and of job 2 unless it was dropped.
    await until(() => readinessAtRuns.length >= 2);
    await waitUntilIdle();
    expect(readinessAtRuns).not.toContain(false);
  });

  it('refuses to start unless every job has exactly one handler', () => {
    const handlers = new JobHandlerRegistry();
    handlers.register('persist_lane', async () => undefined);
    expect(() => handlers.register('persist_lane', async () => undefined)).toThrow('two handlers');
    expect(() => startWorker(handlers)).toThrow('No handler for expire_bodies'); // the first other job
  });
});
