// Uses a real Redis. The directory records which replica holds which members of which topics. Here a topic is a user, a
// member is a socket of the user, and a slot, which holds a part of the topics, is a shard of the presence keys. Each
// SocketDirectoryRepository represents one replica.
import { Logger } from '@nestjs/common';
import { createTestRedis, type TestRedis } from '../../testing/test-redis.harness';
import { createFakeLease } from '../../testing/test-lease.fixture';
import { until } from '../../testing/until.functions';
import { PRESENCE_SHARD_COUNT, presenceKeys, findPresenceShard } from '../redis/redis.keys';
import { type JoinReply, joinScript, leaveScript, sweepScript } from './online-users.scripts';
import type { DeadReplicas } from './replica-lease.service';
import { SocketDirectoryRepository } from './socket-directory.repository';

const NO_GRACE_MS = 0;
/** The maximum number of sockets per user. No test reaches it. */
const MAX_SOCKETS = 1_000;
/** More users than the repository settles concurrently (200). */
const MANY_USERS = 300;
/** Each call of `reconcile` compares some slots with Redis. This number of calls compares all of them. */
const ROUNDS_OF_ALL_SLOTS = 30;
/** A record that is newer than `foundAtMs` proves that its replica is alive. No record is newer than this time. */
const AFTER_ALL_RECORDS_MS = Number.MAX_SAFE_INTEGER;

describe('a socket directory', () => {
  let store: TestRedis;
  /** The replicas that every fake lease reports as dead. */
  let dead: DeadReplicas;

  const createDirectory = (replicaId: string, lease = createFakeLease(replicaId, () => dead)) =>
    new SocketDirectoryRepository<JoinReply>({
      name: 'test',
      redis: store.redis,
      lease,
      slots: {
        count: PRESENCE_SHARD_COUNT,
        getPrefix: (shard) => presenceKeys(shard).prefix,
        findSlot: (userId) => findPresenceShard(Number(userId)),
      },
      scripts: { join: joinScript, leave: leaveScript, sweep: sweepScript },
      graceAfterLossMs: NO_GRACE_MS,
    });
  const joinSocket = (directory: SocketDirectoryRepository<JoinReply>, user: number, socket: string) =>
    directory.join(String(user), socket, [Date.now(), MAX_SOCKETS]);
  const sweepAndEvict = (directory: SocketDirectoryRepository<JoinReply>) => directory.sweep(true);
  const getSocketsKey = (user: number) => presenceKeys(findPresenceShard(user)).sockets(String(user));
  const listRecordedSockets = async (user: number) =>
    Object.keys(await store.redis.hgetall(getSocketsKey(user))).sort();
  /** Lets Redis execute the next join, but rejects the call as if its reply had not arrived in time. */
  const loseNextJoinReply = () => {
    const run = joinScript.run.bind(joinScript);
    jest.spyOn(joinScript, 'run').mockImplementationOnce(async (...parameters) => {
      await run(...parameters);
      throw new Error('Command timed out');
    });
  };

  beforeAll(async () => {
    store = await createTestRedis();
  });
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    dead = { foundAtMs: 0, replicaIds: [] };
    await store.flush();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => store.close());

  it('removes a member on `leave` even if its join timed out after Redis had executed it', async () => {
    const directory = createDirectory('r1');
    loseNextJoinReply();
    await expect(joinSocket(directory, 1, 'a')).rejects.toThrow('timed out');
    expect(await listRecordedSockets(1)).toEqual(['a']);
    await directory.leave('1', 'a', NO_GRACE_MS);
    expect(await listRecordedSockets(1)).toEqual([]);
    expect(directory.unsettledCount).toBe(0); // Redis has confirmed every change
  });

  it('repeats a failed join and a failed leave until Redis has confirmed them', async () => {
    const directory = createDirectory('r1');
    await joinSocket(directory, 1, 'a');
    const rejectCall = async () => Promise.reject(new Error('Redis is unavailable'));
    jest.spyOn(joinScript, 'run').mockImplementationOnce(rejectCall).mockImplementationOnce(rejectCall);
    jest.spyOn(leaveScript, 'run').mockImplementationOnce(rejectCall).mockImplementationOnce(rejectCall);
    await expect(joinSocket(directory, 2, 'b')).rejects.toThrow('unavailable');
    await directory.leave('1', 'a', NO_GRACE_MS);
    expect(directory.unsettledCount).toBe(2);
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(2);
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(0);
    expect([await listRecordedSockets(1), await listRecordedSockets(2)]).toEqual([[], ['b']]);
  });

  it('records other members while one member cannot be recorded', async () => {
    const directory = createDirectory('r1');
    const failingJoin = jest.spyOn(joinScript, 'run').mockRejectedValue(new Error('Redis is unavailable'));
    for (let user = 1; user <= MANY_USERS; user += 1)
      await joinSocket(directory, user, `s${user}`).catch(() => undefined);
    failingJoin.mockRestore();
    // The join of user 7 fails, because their key has the wrong type.
    await store.redis.set(getSocketsKey(7), 'not a hash');
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(1);
    expect(await listRecordedSockets(MANY_USERS)).toEqual([`s${MANY_USERS}`]);
    await store.redis.del(getSocketsKey(7));
    await directory.reconcile();
    expect(await listRecordedSockets(7)).toEqual(['s7']);
  });

  it('restores records that Redis has lost and removes records of an earlier process', async () => {
    const directory = createDirectory('r1');
    for (let user = 1; user <= MANY_USERS; user += 1) await joinSocket(directory, user, `s${user}`);
    await store.flush();
    // An earlier process had the same replica id.
    await joinSocket(createDirectory('r1'), 5, 'socket of an earlier process');
    await directory.reconcileAll();
    for (let user = 1; user <= MANY_USERS; user += 1)
      expect(await listRecordedSockets(user)).toEqual([`s${user}`]);
  });

  it(`restores lost records within ${ROUNDS_OF_ALL_SLOTS} rounds of reconciliation`, async () => {
    const directory = createDirectory('r1');
    await joinSocket(directory, 1, 'a');
    await store.flush();
    for (let round = 0; round < ROUNDS_OF_ALL_SLOTS; round += 1) await directory.reconcile();
    expect(await listRecordedSockets(1)).toEqual(['a']);
  });

  it('evicts all members of dead replicas, even thousands, and no others', async () => {
    const [r1, r2] = [createDirectory('r1'), createDirectory('r2')];
    // One call evicts at most 1,000 members. All users are in shard 0.
    const users = Array.from({ length: 2_500 }, (_, index) => index * PRESENCE_SHARD_COUNT);
    const [userOfBothReplicas, ...usersOfR1] = users as [number, ...number[]];
    await Promise.all(users.map((user) => joinSocket(r1, user, `s${user}`)));
    await joinSocket(r2, userOfBothReplicas, 'live');
    dead = { foundAtMs: AFTER_ALL_RECORDS_MS, replicaIds: ['r1'] };
    const offlineUserIds = await sweepAndEvict(r2);
    expect(await listRecordedSockets(userOfBothReplicas)).toEqual(['live']);
    expect(await store.listKeys('{presence0}:sockets:*')).toEqual([getSocketsKey(userOfBothReplicas)]);
    // A user goes offline in the sweep that evicts their socket, or in a later one.
    await until(async () => {
      offlineUserIds.push(...(await sweepAndEvict(r2)));
      return offlineUserIds.length >= usersOfR1.length;
    });
    expect(new Set(offlineUserIds)).toEqual(new Set(usersOfR1.map(String)));
  });

  it('does not evict a replica that has compared its records with Redis after it was found dead', async () => {
    const [r1, r2] = [createDirectory('r1'), createDirectory('r2')];
    await joinSocket(r1, 1, 'a');
    const readRedisTimeMs = async () => {
      const [seconds, micros] = (await store.redis.time()).map(Number);
      return seconds! * 1_000 + Math.floor(micros! / 1_000);
    };
    // r1 is found dead after it has recorded the socket, and before it compares its records.
    const foundAtMs = (await readRedisTimeMs()) + 5;
    await until(async () => (await readRedisTimeMs()) > foundAtMs);
    dead = { foundAtMs, replicaIds: ['r1'] };
    await r1.reconcileAll(); // as a replica does after it has renewed an expired lease
    await sweepAndEvict(r2);
    expect(await listRecordedSockets(1)).toEqual(['a']);
  });

  it('compares all slots in one write to the connection, and sweeps all slots in another', async () => {
    const directory = createDirectory('r1');
    await joinSocket(directory, 1, 'a');
    await sweepAndEvict(directory); // loads the scripts
    await directory.reconcileAll();
    const write = jest.spyOn(store.redis.stream, 'write');
    await directory.reconcileAll();
    expect(write).toHaveBeenCalledTimes(1);
    write.mockClear();
    const mayEvict = false; // a sweep that may evict also looks up dead replicas, in further writes
    await directory.sweep(mayEvict);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it(`within ${ROUNDS_OF_ALL_SLOTS} rounds, evicts dead replicas whose leases expired long ago`, async () => {
    await joinSocket(createDirectory('unknown'), 1, 'a');
    dead = { foundAtMs: AFTER_ALL_RECORDS_MS, replicaIds: ['unknown'] };
    const lease = createFakeLease('r2', () => dead);
    // `findExpired` finds only leases that expired recently. `findDeadAmong`, which is asked about the replicas that
    // have records, still finds this one.
    lease.findExpired = async () => ({ foundAtMs: dead.foundAtMs, replicaIds: [] });
    const r2 = createDirectory('r2', lease);
    for (let round = 0; round < ROUNDS_OF_ALL_SLOTS; round += 1) {
      await r2.reconcile();
      await sweepAndEvict(r2);
    }
    expect(await listRecordedSockets(1)).toEqual([]);
  });
});
