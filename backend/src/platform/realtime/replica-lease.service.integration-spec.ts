// Uses a real Redis. A replica shows by its lease that it is alive. The live replicas share the periodic clean-ups
// (sweeps), which are divided into parts.
import { Logger } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Redis } from 'ioredis';
import type { Environment } from '../../config/environment.config';
import { startOwnRedis } from '../../testing/own-redis.harness';
import { createTestRedis, type TestRedis } from '../../testing/test-redis.harness';
import { ProcessEventsService } from '../process-events/process-events.service';
import { leaseKeys } from '../redis/redis.keys';
import { renewScript } from './replica-lease.scripts';
import { ReplicaLeaseService } from './replica-lease.service';

/** The keys of the lease scripts, in their order. */
const KEYS = [leaseKeys.live, leaseKeys.names, leaseKeys.expired, leaseKeys.epoch];
/** Duration of a lease that outlives the test. */
const LONG_LEASE_MS = 1_000_000;

const ROUNDS = 5;
const RENEWALS_PER_ROUND = 4_000;

// The measurement of CPU makes 40,000 calls, which take seconds on a busy machine.
jest.setTimeout(60_000);

describe('ReplicaLeaseService', () => {
  let store: TestRedis;
  let leases: ReplicaLeaseService[];

  const startLease = async (replicaId: string): Promise<ReplicaLeaseService> => {
    const events = new ProcessEventsService(new ModulesContainer());
    jest.spyOn(events, 'publish').mockImplementation(() => undefined);
    const lease = new ReplicaLeaseService(store.redis, { replicaId } as Environment, events);
    leases.push(lease);
    await lease.onModuleInit();
    return lease;
  };
  /** Lets the replica's lease expire, by an expiry in the year 1970. */
  const expire = (replicaId: string) => store.redis.zadd(leaseKeys.live, '1', replicaId);
  /**
   * Creates or renews a lease without a service.
   * @param knownEpoch the last epoch that the replica read; '' for none. An epoch identifies the set of live replicas.
   */
  const renew = (replicaId: string, { redis = store.redis, knownEpoch = '' } = {}) =>
    renewScript.run(redis, KEYS, [replicaId, LONG_LEASE_MS, knownEpoch]);
  const createExpiredLease = async (replicaId: string): Promise<void> => {
    await renew(replicaId);
    await expire(replicaId);
  };

  beforeAll(async () => {
    store = await createTestRedis();
  });
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    leases = [];
    await store.flush();
  });
  afterEach(() => {
    for (const lease of leases) lease.onApplicationShutdown();
    jest.restoreAllMocks();
  });
  afterAll(() => store.close());

  it('assigns each part of a sweep to exactly one live replica', async () => {
    // All leases exist before the services start, because a service reads its rank among them when it starts.
    for (const replicaId of ['b', 'c', 'a']) await renew(replicaId);
    const [a, b, c] = await Promise.all([startLease('a'), startLease('b'), startLease('c')]);
    const shares = [a, b, c].map((lease) => lease.getAssignedParts(8));
    expect(shares).toEqual([
      [0, 3, 6],
      [1, 4, 7],
      [2, 5],
    ]);
  });

  it('assigns no part of a sweep to a replica whose lease has expired', async () => {
    await createExpiredLease('gone');
    const live = await startLease('live');
    expect(live.getAssignedParts(3)).toEqual([0, 1, 2]);
  });

  it('finds an expired lease after the next renewal of any replica', async () => {
    await createExpiredLease('gone');
    const live = await startLease('live');
    const { foundAtMs, replicaIds } = await live.findExpired();
    expect(replicaIds).toEqual(['gone']);
    expect(foundAtMs).toBeGreaterThan(Date.UTC(2020, 0)); // a time of the clock of Redis, not 0
  });

  it('no longer finds an expired lease after its replica has renewed it', async () => {
    await createExpiredLease('gone');
    await startLease('live'); // finds the expired lease
    const [hadNoLease] = await renew('gone');
    expect(hadNoLease).toBe(1);
    const other = await startLease('other');
    expect((await other.findExpired()).replicaIds).toEqual([]);
  });

  it('counts a lease as expired immediately after its release', async () => {
    const [leaving, staying] = [await startLease('leaving'), await startLease('staying')];
    await leaving.release();
    expect((await staying.findExpired()).replicaIds).toEqual(['leaving']);
    expect(await store.redis.zrange(leaseKeys.names, '0', '-1')).toEqual(['staying']);
  });

  it('considers replicas with an expired lease, or without any, dead', async () => {
    await createExpiredLease('gone');
    const live = await startLease('live');
    expect(await live.findDeadAmong(['live', 'gone', 'unknown'])).toMatchObject({
      replicaIds: ['gone', 'unknown'],
    });
  });

  it('allows a new replica to sweep only if there are other live replicas', async () => {
    const first = await startLease('first');
    expect(first.maySweep).toBe(false); // Redis may have lost the leases of the others
    const second = await startLease('second');
    expect(second.maySweep).toBe(true);
  });

  it('does not allow a sweep by the first replica that renews its lease after an outage of Redis', async () => {
    await startLease('a');
    const b = await startLease('b');
    expect(b.maySweep).toBe(true);
    await Promise.all([expire('a'), expire('b')]); // as in an outage
    await (b as unknown as { renew(): Promise<void> }).renew(); // without waiting for the timer
    expect(b.maySweep).toBe(false);
  });

  it('allows a replica to sweep if the response to its first renewal was lost', async () => {
    await startLease('a');
    await renew('b'); // the renewal whose response is lost
    const b = await startLease('b');
    expect(b.maySweep).toBe(true);
  });

  it('renews with the same commands and an equally long reply for 10 and 1,000 replicas', async () => {
    // Redis counts commands of the whole server, and other test files use other databases of the shared one.
    const server = await startOwnRedis();
    const { redis } = server;
    const measurements = [];
    for (const count of [10, 1_000]) {
      await redis.flushdb();
      await Promise.all(Array.from({ length: count }, (_, index) => renew(`replica-${index}`, { redis })));
      const knownEpoch = (await redis.get(leaseKeys.epoch)) ?? '';
      await redis.config('RESETSTAT');
      const reply = await renew('replica-5', { redis, knownEpoch });
      measurements.push({ calls: await readCommandCalls(redis), replyLength: reply.length });
    }
    await server.close();
    expect(measurements[1]).toEqual(measurements[0]);
  });

  it('renews with at most 1.5 times as much CPU of Redis for 1,000 replicas as for 10', async () => {
    const renewFew = await createLeases(store.redis, 10);
    const renewMany = await createLeases(store.redis, 1_000);
    let cpuForFewMs = Infinity;
    let cpuForManyMs = Infinity;
    // The fastest round counts, because other load on the processor can only add time.
    for (let round = 0; round < ROUNDS; round += 1) {
      cpuForFewMs = Math.min(cpuForFewMs, await measureCpuMs(store.redis, renewFew));
      cpuForManyMs = Math.min(cpuForManyMs, await measureCpuMs(store.redis, renewMany));
    }
    // Usually 1.0 to 1.2 (docs/decisions/0020-one-socket-directory.md).
    expect(cpuForManyMs / cpuForFewMs).toBeLessThan(1.5);
  });
});

/** Returns the number of calls of each command since the last reset, except the commands of the measurement. */
const readCommandCalls = async (redis: Redis): Promise<Map<string, number>> => {
  const statistics = await redis.info('commandstats');
  const counts = new Map<string, number>();
  for (const [, name = '', calls] of statistics.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm))
    if (name !== 'info' && name !== 'config') counts.set(name, Number(calls));
  return counts;
};

/**
 * Creates leases under keys of their own, next to those of another number of replicas.
 * @returns a function that makes `RENEWALS_PER_ROUND` renewals of these leases
 */
const createLeases = async (redis: Redis, count: number): Promise<() => Promise<unknown>> => {
  const toOwnKey = (key: string): string => key.replace('{matching}', `{${count}}`); // another hash tag
  const keys = KEYS.map(toOwnKey);
  const renewInTurn = (calls: number, knownEpoch: string) =>
    Promise.all(
      Array.from({ length: calls }, (_, index) =>
        renewScript.run(redis, keys, [`replica-${index % count}`, LONG_LEASE_MS, knownEpoch]),
      ),
    );
  await renewInTurn(count, '');
  const knownEpoch = (await redis.get(toOwnKey(leaseKeys.epoch))) ?? '';
  return () => renewInTurn(RENEWALS_PER_ROUND, knownEpoch);
};

/** Measures the CPU time that Redis uses while `run` runs. */
const measureCpuMs = async (redis: Redis, run: () => Promise<unknown>): Promise<number> => {
  const cpuBeforeMs = await readCpuMs(redis);
  await run();
  return (await readCpuMs(redis)) - cpuBeforeMs;
};

const readCpuMs = async (redis: Redis): Promise<number> => {
  const cpu = await redis.info('cpu');
  const [userSeconds, systemSeconds] = ['user', 'sys'].map(
    (kind) => new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(cpu)?.[1],
  );
  return (Number(userSeconds) + Number(systemSeconds)) * 1_000;
};
