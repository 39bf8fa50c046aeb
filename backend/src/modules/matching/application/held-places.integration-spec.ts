// Runs against real Redis. A replica in these tests is an id with a lease.
import type { Environment } from '../../../config/environment.config';
import type { DeadReplicas } from '../../../platform/realtime/replica-lease.service';
import { directoryKeys, matchingKeys } from '../../../platform/redis/redis.keys';
import { createFakeLease } from '../../../testing/test-lease.fixture';
import { FAR_FUTURE_MS } from '../../../testing/test-match-queue.harness';
import { createTestRedis, type TestRedis } from '../../../testing/test-redis.harness';
import { resumeScript } from '../infrastructure/match-queue.scripts';
import { MatchQueueService } from './match-queue.service';

/** How long the record of a parked user is kept. */
const PARKED_FOR_MS = 35_000;
/** Time to live that Redis returns for a key without an expiry. */
const NO_EXPIRY = -1;

/**
 * A replica holds the place of a searching user in the queue while it has a socket of the user. A user without a live
 * replica is parked: removed from the queue, with a record that expires after 35 s. A claimed user is matched, but
 * their chat has not started yet.
 */
describe('replicas that hold a place in the queue', () => {
  let store: TestRedis;
  let deadReplicas: DeadReplicas;

  const createReplica = (replicaId: string): MatchQueueService =>
    new MatchQueueService(
      store.redis,
      { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: 600 } as Environment,
      createFakeLease(replicaId, () => deadReplicas),
    );
  const killReplica = async (replicaId: string): Promise<void> => {
    await store.redis.zrem(matchingKeys.leases, replicaId);
    // This time is later than every record, so no record proves that the replica is alive.
    deadReplicas = { foundAtMs: Number.MAX_SAFE_INTEGER, replicaIds: [replicaId] };
  };
  const listHolders = (userId: number) => store.redis.hkeys(matchingKeys.sockets(String(userId)));
  const listQueue = () => store.redis.zrange(matchingKeys.queue('male', 'both'), '0', '-1');
  const readRecordTtlMs = (userId: number) => store.redis.pttl(matchingKeys.user(userId));

  beforeAll(async () => {
    store = await createTestRedis();
  });
  beforeEach(async () => {
    deadReplicas = { foundAtMs: 0, replicaIds: [] };
    await store.flush();
    for (const replicaId of ['r1', 'r2'])
      await store.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, replicaId);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => store.close());

  it('are evicted when dead, and the user is parked for 35 s', async () => {
    await createReplica('r1').join(1, 'male', 'both');
    await killReplica('r1');
    await createReplica('r2').reconcile();
    expect(await listHolders(1)).toEqual([]);
    expect(await listQueue()).toEqual([]);
    expect(await readRecordTtlMs(1)).toBeGreaterThan(PARKED_FOR_MS - 1_000);
    expect(await readRecordTtlMs(1)).toBeLessThanOrEqual(PARKED_FOR_MS);
  });

  it('are evicted without prolonging the record of a user who is already parked', async () => {
    await createReplica('r1').join(1, 'male', 'both');
    await killReplica('r1');
    await createReplica('r2').join(2, 'male', 'both'); // finds user 1 without a live replica and parks them
    await store.redis.pexpire(matchingKeys.user(1), 20_000); // as if some time had passed
    await createReplica('r2').reconcile();
    expect(await listHolders(1)).toEqual([]);
    expect(await readRecordTtlMs(1)).toBeLessThanOrEqual(20_000);
  });

  it('do not lose a place that another replica holds as well', async () => {
    await createReplica('r1').join(1, 'male', 'both');
    await createReplica('r2').resume(1); // r2 has a socket of user 1, too
    await killReplica('r1');
    await createReplica('r2').reconcile();
    expect(await listHolders(1)).toEqual(['r2']);
    expect(await listQueue()).toEqual(['1']);
    expect(await readRecordTtlMs(1)).toBe(NO_EXPIRY);
  });

  it('are recorded again after they were evicted, and the user is searching again', async () => {
    const service = createReplica('r1');
    await service.join(1, 'male', 'both');
    await killReplica('r1');
    await createReplica('r2').reconcile();
    // r1 is alive again, and compares the places that it holds with Redis.
    await store.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, 'r1');
    await service.reconcileAll();
    expect(await listHolders(1)).toEqual(['r1']);
    expect(await listQueue()).toEqual(['1']);
    expect(await readRecordTtlMs(1)).toBe(NO_EXPIRY);
  });

  it('repeat a failed resume, and then hold a place only if the user is searching', async () => {
    const service = createReplica('r1');
    const run = resumeScript.run.bind(resumeScript);
    await service.join(1, 'male', 'both');
    // Redis executes the first call, but its reply is lost. Redis does not receive the second call.
    const resumeSpy = jest.spyOn(resumeScript, 'run').mockImplementationOnce(async (...args) => {
      await run(...args);
      throw new Error('Command timed out');
    });
    await expect(service.resume(1)).rejects.toThrow('timed out');
    resumeSpy.mockRejectedValueOnce(new Error('Redis is unavailable'));
    await expect(service.resume(2)).rejects.toThrow('unavailable');
    await service.reconcile();
    expect(await listHolders(1)).toEqual(['r1']);
    expect(await listHolders(2)).toEqual([]);
    // `reconcile` has repeated both calls, so nothing is left to repeat.
    const callsBefore = resumeSpy.mock.calls.length;
    await service.reconcileAll();
    expect(resumeSpy.mock.calls).toHaveLength(callsBefore);
  });

  it('are recorded for users who are searching or claimed, and for no others', async () => {
    const service = createReplica('r1');
    const holdsPlaces = async () =>
      (await store.redis.exists(directoryKeys(matchingKeys.prefix).replicaMembers('r1'))) === 1;
    await service.resume(1);
    expect(await holdsPlaces()).toBe(false);
    await service.join(1, 'male', 'both');
    await service.leave(1);
    expect(await holdsPlaces()).toBe(false);
    await service.join(1, 'male', 'both');
    const state = await service.join(2, 'male', 'both');
    if (state.kind !== 'matched') throw new Error(state.kind);
    expect([await listHolders(1), await listHolders(2)]).toEqual([['r1'], ['r1']]);
    // As when a chat starts: the match is confirmed, and the replica no longer holds the places.
    await service.confirm(state.match);
    for (const userId of state.match.userIds) service.forget(userId);
    expect(await holdsPlaces()).toBe(false);
    const resumeSpy = jest.spyOn(resumeScript, 'run');
    await service.reconcileAll();
    expect(resumeSpy).not.toHaveBeenCalled();
  });
});
