// Uses a real Redis. A replica in these tests is not a process, only an id with a lease, by which it counts as alive.
import type { Environment } from '../../../config/environment.config';
import type { DeadReplicas } from '../../../platform/realtime/replica-lease.service';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { createFakeLease } from '../../../testing/test-lease.fixture';
import { FAR_FUTURE_MS, requireMatch } from '../../../testing/test-match-queue.harness';
import { createTestRedis, type TestRedis } from '../../../testing/test-redis.harness';
import { resumeScript } from '../infrastructure/match-queue.scripts';
import { MatchQueueService, type MatchState } from './match-queue.service';

/** How long the user's own record is kept after the user is parked. */
const PARKED_FOR_MS = 35_000;
/** Time to live that Redis returns for a key without an expiry. */
const NO_EXPIRY = -1;

/**
 * A replica holds the place of a searching user in the queue while it has a socket of the user. Redis records which
 * replicas hold the place. A user whose place no live replica holds is parked: removed from the queue, and the user's
 * own record expires after 35 s.
 *
 * Every second, a replica calls `reconcile`, which repeats its failed calls and evicts dead replicas. After an outage,
 * it calls `reconcileAll`, which compares all places that it holds with Redis.
 */
describe('the replicas that hold a place in the queue', () => {
  let store: TestRedis;
  let deadReplicas: DeadReplicas;
  let r1: MatchQueueService;
  let r2: MatchQueueService;

  const createReplica = (replicaId: string): MatchQueueService =>
    new MatchQueueService(
      store.redis,
      { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: 600 } as Environment,
      createFakeLease(replicaId, () => deadReplicas),
    );
  const grantLease = (replicaId: string) => store.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, replicaId);
  const killR1 = async (): Promise<void> => {
    await store.redis.zrem(matchingKeys.leases, 'r1');
    // A replica that has shown since `foundAtMs` that it is alive is not evicted. No time is later than this one.
    deadReplicas = { foundAtMs: Number.MAX_SAFE_INTEGER, replicaIds: ['r1'] };
  };
  /** Starts a search. All users of these tests are compatible. */
  const join = (replica: MatchQueueService, userId: number): Promise<MatchState> =>
    replica.join(userId, 'male', 'both');
  const listQueue = () => store.redis.zrange(matchingKeys.queue('male', 'both'), '0', '-1');
  const listHolders = (userId: number) => store.redis.hkeys(matchingKeys.sockets(String(userId)));
  const isR1Recorded = async (): Promise<boolean> =>
    (await store.redis.exists(matchingKeys.replicaMembers('r1'))) === 1;
  const readUserRecordTtlMs = (userId: number) => store.redis.pttl(matchingKeys.user(userId));
  /** Expects that r1 has no failed call left: `reconcileAll` would repeat it with the resume script. */
  const expectSettled = async (): Promise<void> => {
    const resumeSpy = jest.spyOn(resumeScript, 'run');
    resumeSpy.mockClear();
    await r1.reconcileAll();
    expect(resumeSpy).not.toHaveBeenCalled();
  };

  beforeAll(async () => {
    store = await createTestRedis();
  });
  beforeEach(async () => {
    await store.flush();
    deadReplicas = { foundAtMs: 0, replicaIds: [] };
    r1 = createReplica('r1');
    r2 = createReplica('r2');
    await grantLease('r1');
    await grantLease('r2');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => store.close());

  it('a dead replica is evicted, which parks the user for 35 s', async () => {
    await join(r1, 1);
    await killR1();
    await r2.reconcile();
    expect(await listHolders(1)).toEqual([]);
    expect(await listQueue()).toEqual([]);
    expect(await readUserRecordTtlMs(1)).toBeGreaterThan(PARKED_FOR_MS - 1_000);
    expect(await readUserRecordTtlMs(1)).toBeLessThanOrEqual(PARKED_FOR_MS);
  });

  it('the eviction of a dead replica does not prolong the record of a user who is already parked', async () => {
    await join(r1, 1);
    await killR1();
    await join(r2, 2); // finds user 1 without a live replica and parks them
    await store.redis.pexpire(matchingKeys.user(1), 20_000); // as if some time had passed
    await r2.reconcile();
    expect(await listHolders(1)).toEqual([]);
    expect(await readUserRecordTtlMs(1)).toBeLessThanOrEqual(20_000);
  });

  it('the eviction of a dead replica does not park a user whose place another replica holds as well', async () => {
    await join(r1, 1);
    await r2.resume(1); // r2 has a socket of user 1, too
    await killR1();
    await r2.reconcile();
    expect(await listHolders(1)).toEqual(['r2']);
    expect(await listQueue()).toEqual(['1']);
    expect(await readUserRecordTtlMs(1)).toBe(NO_EXPIRY);
  });

  it('an evicted replica that is alive again is recorded again, and its user returns to the queue', async () => {
    await join(r1, 1);
    await killR1();
    await r2.reconcile();
    await grantLease('r1');
    await r1.reconcileAll();
    expect(await listHolders(1)).toEqual(['r1']);
    expect(await listQueue()).toEqual(['1']);
    expect(await readUserRecordTtlMs(1)).toBe(NO_EXPIRY);
  });

  describe('after a failed resume', () => {
    it('a replica holds the place of a searching user if only the reply of Redis was lost', async () => {
      await join(r1, 1);
      const run = resumeScript.run.bind(resumeScript);
      jest.spyOn(resumeScript, 'run').mockImplementationOnce(async (...args) => {
        await run(...args);
        throw new Error('Command timed out');
      });
      await expect(r1.resume(1)).rejects.toThrow('timed out');
      await r1.reconcile();
      expect(await listHolders(1)).toEqual(['r1']);
      await expectSettled();
    });

    it('a replica repeats the resume, and holds no place if the user is not searching', async () => {
      const resumeSpy = jest
        .spyOn(resumeScript, 'run')
        .mockRejectedValueOnce(new Error('Redis is unavailable'));
      await expect(r1.resume(2)).rejects.toThrow('unavailable');
      await r1.reconcile();
      expect(resumeSpy).toHaveBeenCalledTimes(2);
      expect(await listHolders(2)).toEqual([]);
      await expectSettled();
    });
  });

  it('a replica is not recorded for a user who resumes without a search', async () => {
    await r1.resume(1);
    expect(await isR1Recorded()).toBe(false);
  });

  it('a replica is recorded for a searching user until the user leaves the queue', async () => {
    await join(r1, 1);
    expect(await isR1Recorded()).toBe(true);
    await r1.leave(1);
    expect(await isR1Recorded()).toBe(false);
  });

  it('a replica is recorded for both users of a match until their chat starts', async () => {
    await join(r1, 1);
    const match = requireMatch(await join(r1, 2));
    expect([await listHolders(1), await listHolders(2)]).toEqual([['r1'], ['r1']]);
    // As when a chat starts: the match is confirmed, and the replica no longer holds the places.
    await r1.confirm(match);
    for (const userId of match.userIds) r1.forget(userId);
    expect(await isR1Recorded()).toBe(false);
    await expectSettled();
  });
});
