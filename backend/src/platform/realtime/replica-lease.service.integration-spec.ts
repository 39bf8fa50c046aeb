// Uses a real Redis. A replica shows by its lease that it is alive. Periodic clean-ups (sweeps) are divided into parts.
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

// The 40,000 calls of the measurement take seconds on a busy machine.
jest.setTimeout(60_000);

describe('leases of replicas', () => {
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
  const renew = (replicaId: string, knownEpoch = '', redis: Redis = store.redis) =>
    renewScript.run(redis, KEYS, [replicaId, LONG_LEASE_MS, knownEpoch]);
  /** Returns the number of calls of each command since the last reset, except the commands of the measurement. */
  const readCommandCalls = async (redis: Redis): Promise<Map<string, number>> => {
    const lines = (await redis.info('commandstats')).split('\r\n');
    const counts = lines.flatMap((line): [string, number][] => {
      const [, name = '', calls] = /^cmdstat_(\w+):calls=(\d+)/.exec(line) ?? [];
      return calls && !['info', 'config'].includes(name) ? [[name, Number(calls)]] : [];
    });
    return new Map(counts);
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

  it('assign each part of a sweep to exactly one live replica', async () => {
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

  it('are recorded as expired by the first renewal of any replica after their expiry', async () => {
    await renew('gone');
    await expire('gone');
    const live = await startLease('live');
    expect(live.getAssignedParts(3)).toEqual([0, 1, 2]);
    const { foundAtMs, replicaIds } = await live.findExpired();
    expect(replicaIds).toEqual(['gone']);
    expect(foundAtMs).toBeGreaterThan(Date.UTC(2020, 0)); // a time of the clock of Redis, not 0
    expect(await live.findDeadAmong(['live', 'gone', 'unknown'])).toMatchObject({
      replicaIds: ['gone', 'unknown'],
    });
    // A replica that renews its expired lease is no longer among the expired ones.
    const [hadExpired] = await renew('gone');
    expect(hadExpired).toBe(1);
    const other = await startLease('other');
    expect((await other.findExpired()).replicaIds).toEqual([]);
  });

  it('count as expired immediately after their release', async () => {
    const [leaving, staying] = [await startLease('leaving'), await startLease('staying')];
    await leaving.release();
    expect((await staying.findExpired()).replicaIds).toEqual(['leaving']);
    expect(await store.redis.zrange(leaseKeys.names, '0', '-1')).toEqual(['staying']);
  });

  it('do not allow a sweep by the first replica that renews its lease after an outage of Redis', async () => {
    const a = await startLease('a');
    expect(a.maySweep).toBe(false); // the only live replica, as after an outage
    const b = await startLease('b');
    expect(b.maySweep).toBe(true); // it has joined a running service
    await Promise.all([expire('a'), expire('b')]); // as in an outage
    await (b as unknown as { renew(): Promise<void> }).renew(); // without waiting for the timer
    expect(b.maySweep).toBe(false);
  });

  it('allow a replica to sweep if the response to its first renewal was lost', async () => {
    await startLease('a');
    await renew('b'); // the renewal whose response is lost
    const b = await startLease('b');
    expect(b.maySweep).toBe(true);
  });

  it('are renewed with the same commands and an equally long reply for 10 and 1,000 replicas', async () => {
    // Redis counts commands of the whole server, and other test files use other databases of the shared one.
    const server = await startOwnRedis();
    const measurements = [];
    for (const count of [10, 1_000]) {
      await server.redis.flushdb();
      await Promise.all(
        Array.from({ length: count }, (_, index) => renew(`replica-${index}`, '', server.redis)),
      );
      const knownEpoch = (await server.redis.get(leaseKeys.epoch)) ?? '';
      await server.redis.config('RESETSTAT');
      const reply = await renew('replica-5', knownEpoch, server.redis);
      measurements.push({ calls: await readCommandCalls(server.redis), replyLength: reply.length });
    }
    await server.close();
    expect(measurements[1]).toEqual(measurements[0]);
  });

  it('are renewed with at most 1.5 times as much CPU of Redis for 1,000 replicas as for 10', async () => {
    const ROUNDS = 5;
    const CALLS_PER_ROUND = 4_000;
    const readCpuMs = async (): Promise<number> => {
      const cpu = await store.redis.info('cpu');
      const [user, system] = ['user', 'sys'].map(
        (kind) => new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(cpu)?.[1],
      );
      return (Number(user) + Number(system)) * 1_000;
    };
    const scenarios = await Promise.all(
      [10, 1_000].map(async (count) => {
        // `count` replaces the hash tag of the keys, so each number of replicas has its own keys.
        const keys = KEYS.map((key) => key.replace('{matching}', `{${count}}`));
        const renewLeases = (calls: number, knownEpoch: string) =>
          Promise.all(
            Array.from({ length: calls }, (_, index) =>
              renewScript.run(store.redis, keys, [`replica-${index % count}`, LONG_LEASE_MS, knownEpoch]),
            ),
          );
        await renewLeases(count, '');
        const [, , , epochKey] = keys;
        const knownEpoch = (await store.redis.get(epochKey!)) ?? '';
        return { runCalls: () => renewLeases(CALLS_PER_ROUND, knownEpoch), bestMs: Infinity };
      }),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const scenario of scenarios) {
        const cpuBeforeMs = await readCpuMs();
        await scenario.runCalls();
        // The fastest round counts, because other load on the processor can only add time.
        scenario.bestMs = Math.min(scenario.bestMs, (await readCpuMs()) - cpuBeforeMs);
      }
    }
    const [cpuForFewMs, cpuForManyMs] = scenarios.map(({ bestMs }) => bestMs);
    // Usually 1.0 to 1.2 (docs/decisions/0020-one-socket-directory.md).
    expect(cpuForManyMs! / cpuForFewMs!).toBeLessThan(1.5);
  });
});
