// Uses a real Redis. The directory is that of online users: a topic is a user, a member is a socket of the user, and a
// slot is a shard of the presence keys. Each SocketDirectoryRepository represents one replica.
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
/** Number of calls of `reconcile` in which every slot is compared with Redis once. */
const ROUNDS_OF_ALL_SLOTS = 30;
/**
 * Time at which the tests find a replica dead. It is later than every record, so no record proves that the replica is
 * alive.
 */
const AFTER_ALL_RECORDS_MS = Number.MAX_SAFE_INTEGER;
/** Argument of `sweep`: a replica without a lease may be considered dead. */
const MAY_EVICT = true;

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
  const listRecordedSockets = async (user: number) =>
    Object.keys(
      await store.redis.hgetall(presenceKeys(findPresenceShard(user)).sockets(String(user))),
    ).sort();
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
    await store.redis.set(presenceKeys(findPresenceShard(7)).sockets('7'), 'not a hash');
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(1);
    expect(await listRecordedSockets(MANY_USERS)).toEqual([`s${MANY_USERS}`]);
    await store.redis.del(presenceKeys(findPresenceShard(7)).sockets('7'));
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
    await Promise.all(users.map((user) => joinSocket(r1, user, `s${user}`)));
    await joinSocket(r2, 0, 'live');
    dead = { foundAtMs: AFTER_ALL_RECORDS_MS, replicaIds: ['r1'] };
    const offlineUserIds = await r2.sweep(MAY_EVICT);
    expect(await listRecordedSockets(0)).toEqual(['live']);
    expect(await store.listKeys('{presence0}:sockets:*')).toEqual(['{presence0}:sockets:0']);
    // User 0 is still online with the socket on r2.
    const [, ...offlineUsers] = users;
    // A user goes offline in the sweep that evicts their socket, or in a later one.
    await until(async () => {
      offlineUserIds.push(...(await r2.sweep(MAY_EVICT)));
      return offlineUserIds.length >= offlineUsers.length;
    });
    expect(new Set(offlineUserIds)).toEqual(new Set(offlineUsers.map(String)));
  });

  it('does not evict a replica that has compared its records with Redis since it was found dead', async () => {
    const [r1, r2] = [createDirectory('r1'), createDirectory('r2')];
    await joinSocket(r1, 1, 'a');
    const readRedisTimeMs = async () => {
      const [seconds, micros] = (await store.redis.time()).map(Number);
      return seconds! * 1_000 + Math.floor(micros! / 1_000);
    };
    // r1 is found dead 5 ms after it has recorded the socket, and before it compares its records below.
    const foundDeadAtMs = (await readRedisTimeMs()) + 5;
    await until(async () => (await readRedisTimeMs()) > foundDeadAtMs);
    dead = { foundAtMs: foundDeadAtMs, replicaIds: ['r1'] };
    await r1.reconcileAll(); // as a replica does after it has renewed an expired lease
    await r2.sweep(MAY_EVICT);
    expect(await listRecordedSockets(1)).toEqual(['a']);
  });

  it('compares all slots in one write to the connection, and sweeps all slots in another', async () => {
    const directory = createDirectory('r1');
    await joinSocket(directory, 1, 'a');
    await directory.sweep(MAY_EVICT); // loads the scripts
    await directory.reconcileAll();
    const write = jest.spyOn(store.redis.stream, 'write');
    await directory.reconcileAll();
    expect(write).toHaveBeenCalledTimes(1);
    write.mockClear();
    // A sweep that may evict would also look up dead replicas, in further writes.
    await directory.sweep(false);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it(`within ${ROUNDS_OF_ALL_SLOTS} rounds, evicts dead replicas that \`findExpired\` does not return`, async () => {
    await joinSocket(createDirectory('unknown'), 1, 'a');
    dead = { foundAtMs: AFTER_ALL_RECORDS_MS, replicaIds: ['unknown'] };
    const lease = createFakeLease('r2', () => dead);
    // Only `findDeadAmong` reports the dead replica.
    lease.findExpired = async () => ({ foundAtMs: dead.foundAtMs, replicaIds: [] });
    const r2 = createDirectory('r2', lease);
    for (let round = 0; round < ROUNDS_OF_ALL_SLOTS; round += 1) {
      await r2.reconcile();
      await r2.sweep(MAY_EVICT);
    }
    expect(await listRecordedSockets(1)).toEqual([]);
  });
});
