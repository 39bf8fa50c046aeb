import type { JobData } from '../../../platform/queue/job-name.registry';
import type { JobQueueService } from '../../../platform/queue/job-queue.service';
import { SHARD_GROUP_COUNT } from '../../../platform/redis/redis.keys';
import { BATCH_WINDOW_MS, OutboxSchedulerService } from './outbox-scheduler.service';

// A job is added at a turn of its group: each group has one turn in every batch window.

const groups = Array.from({ length: SHARD_GROUP_COUNT }, (_, group) => group);
let jobTimes: { group: number; atMs: number }[];

/** A scheduler of one replica, whose added jobs are recorded in `jobTimes`. */
const createScheduler = (): OutboxSchedulerService => {
  const add: JobQueueService['add'] = (_name, data) => {
    // A `lane` is a shard group.
    const { lane: group } = data as JobData['persist_lane'];
    jobTimes.push({ group, atMs: Date.now() });
    return Promise.resolve();
  };
  return new OutboxSchedulerService({ add } as JobQueueService);
};

beforeEach(() => {
  jobTimes = [];
  jest.useFakeTimers({ now: 1_700_000_000_123 }); // between the turns of two groups
});

afterEach(() => jest.useRealTimers());

it('adds the jobs of shard groups at even intervals over the batch window when they are scheduled together', () => {
  const scheduler = createScheduler();
  const startedAt = Date.now();
  for (const group of groups) scheduler.schedule(group);
  jest.advanceTimersByTime(BATCH_WINDOW_MS + 1);
  expect(jobTimes.map(({ group }) => group).sort()).toEqual(groups);
  expect(jobTimes.at(-1)!.atMs - startedAt).toBeLessThanOrEqual(BATCH_WINDOW_MS + 1);
  for (let index = 1; index < groups.length; index += 1) {
    const intervalMs = jobTimes[index]!.atMs - jobTimes[index - 1]!.atMs;
    expect(Math.abs(intervalMs - BATCH_WINDOW_MS / SHARD_GROUP_COUNT)).toBeLessThanOrEqual(1);
  }
});

it('adds the job of a shard group at the same time in two replicas that schedule it at different times', () => {
  const [replica, otherReplica] = [createScheduler(), createScheduler()];
  // The first job is added at a turn of the group. Both replicas then schedule a job for its next turn.
  replica.schedule(2);
  jest.advanceTimersToNextTimer();
  replica.schedule(2);
  jest.advanceTimersByTime(BATCH_WINDOW_MS / 3);
  otherReplica.schedule(2);
  jest.advanceTimersByTime(BATCH_WINDOW_MS);
  expect(jobTimes).toHaveLength(3);
  expect(jobTimes[2]).toEqual(jobTimes[1]);
});

it('adds one job per batch window for a shard group that is scheduled again and again', () => {
  const scheduler = createScheduler();
  for (let ms = 0; ms < 10 * BATCH_WINDOW_MS; ms += 1) {
    scheduler.schedule(0);
    jest.advanceTimersByTime(1);
  }
  expect(jobTimes).toHaveLength(10);
});
