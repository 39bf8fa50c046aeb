// Uses a real Redis. The directory is that of online users; a replica is represented by its lease and id.
import { Logger } from '@nestjs/common';
import { createTestRedis, type TestRedis } from '../../testing/test-redis.harness';
import { createFakeLease } from '../../testing/test-lease.fixture';
import { until } from '../../testing/until.functions';
import { PRESENCE_SHARD_COUNT, presenceKeys, findPresenceShard } from '../redis/redis.keys';
import { type JoinReply, joinScript, leaveScript, sweepScript } from './online-users.scripts';
import type { DeadReplicas } from './replica-lease.service';
import { SocketDirectoryRepository } from './socket-directory.repository';

const GRACE_MS = 0;
/** Maximum number of sockets per user that no test reaches. */
const MAX_SOCKETS = 1_000;

describe('a socket directory', () => {
  let store: TestRedis;
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
      graceAfterLossMs: GRACE_MS,
    });
  const enter = (directory: SocketDirectoryRepository<JoinReply>, user: number, socket: string) =>
    directory.join(String(user), socket, [Date.now(), MAX_SOCKETS]);
  const listRecorded = async (user: number) =>
    Object.keys(
      await store.redis.hgetall(presenceKeys(findPresenceShard(user)).sockets(String(user))),
    ).sort();
  /** Lets Redis execute the call without returning the reply in time. */
  const timeOut = (script: { run: unknown }) => {
    const run = (script as typeof joinScript).run.bind(script);
    jest.spyOn(script as typeof joinScript, 'run').mockImplementationOnce(async (...given) => {
      await run(...given);
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

  it('removes a member whose join timed out after it was executed', async () => {
    const directory = createDirectory('r1');
    timeOut(joinScript);
    await expect(enter(directory, 1, 'a')).rejects.toThrow('timed out');
    expect(await listRecorded(1)).toEqual(['a']);
    await directory.leave('1', 'a', GRACE_MS);
    expect(await listRecorded(1)).toEqual([]);
    expect(directory.unsettledCount).toBe(0);
  });

  it('repeats a failed join and a failed leave until Redis has confirmed them', async () => {
    const directory = createDirectory('r1');
    await enter(directory, 1, 'a');
    const down = async () => Promise.reject(new Error('Redis is unavailable'));
    jest.spyOn(joinScript, 'run').mockImplementationOnce(down).mockImplementationOnce(down);
    jest.spyOn(leaveScript, 'run').mockImplementationOnce(down).mockImplementationOnce(down);
    await expect(enter(directory, 2, 'b')).rejects.toThrow('unavailable');
    await directory.leave('1', 'a', GRACE_MS);
    expect(directory.unsettledCount).toBe(2);
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(2);
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(0);
    expect([await listRecorded(1), await listRecorded(2)]).toEqual([[], ['b']]);
  });

  it('records other members while one member cannot be recorded', async () => {
    const directory = createDirectory('r1');
    const failingJoin = jest.spyOn(joinScript, 'run').mockRejectedValue(new Error('Redis is unavailable'));
    for (let user = 1; user <= 300; user += 1)
      await enter(directory, user, `s${user}`).catch(() => undefined);
    failingJoin.mockRestore();
    await store.redis.set(presenceKeys(findPresenceShard(7)).sockets('7'), 'not a hash');
    await directory.reconcile();
    expect(directory.unsettledCount).toBe(1);
    expect(await listRecorded(300)).toEqual(['s300']);
    await store.redis.del(presenceKeys(findPresenceShard(7)).sockets('7'));
    await directory.reconcile();
    expect(await listRecorded(7)).toEqual(['s7']);
  });

  it('restores records that Redis has lost and removes records of an earlier process', async () => {
    const directory = createDirectory('r1');
    for (let user = 1; user <= 300; user += 1) await enter(directory, user, `s${user}`);
    await store.flush();
    await enter(createDirectory('r1'), 5, 'of an earlier process');
    await directory.reconcileAll();
    for (let user = 1; user <= 300; user += 1) expect(await listRecorded(user)).toEqual([`s${user}`]);
  });

  it('restores lost records within 30 rounds of reconciliation', async () => {
    const directory = createDirectory('r1');
    await enter(directory, 1, 'a');
    await store.flush();
    for (let round = 0; round < 30; round += 1) await directory.reconcile();
    expect(await listRecorded(1)).toEqual(['a']);
  });

  it('evicts all members of dead replicas, even thousands, and no others', async () => {
    const [r1, r2] = [createDirectory('r1'), createDirectory('r2')];
    const users = Array.from({ length: 2_500 }, (_, index) => index * PRESENCE_SHARD_COUNT);
    await Promise.all(users.map((user) => enter(r1, user, `s${user}`)));
    await enter(r2, 0, 'other');
    dead = { foundAtMs: Number.MAX_SAFE_INTEGER, replicaIds: ['r1'] };
    const gone = await r2.sweep(true);
    expect(await listRecorded(0)).toEqual(['other']);
    expect(await store.listKeys('{presence0}:sockets:*')).toEqual(['{presence0}:sockets:0']);
    await until(async () => gone.push(...(await r2.sweep(true))) >= users.length - 1);
    expect(new Set(gone)).toEqual(new Set(users.slice(1).map(String)));
  });

  it('does not evict a replica that has read its records since it was found dead', async () => {
    const [r1, r2] = [createDirectory('r1'), createDirectory('r2')];
    await enter(r1, 1, 'a');
    const estimateRedisTimeMs = async () => {
      const [seconds, micros] = (await store.redis.time()).map(Number);
      return seconds! * 1_000 + Math.floor(micros! / 1_000);
    };
    const foundDeadAt = (await estimateRedisTimeMs()) + 5;
    await until(async () => (await estimateRedisTimeMs()) > foundDeadAt);
    dead = { foundAtMs: foundDeadAt, replicaIds: ['r1'] };
    await r1.reconcileAll(); // its lease had expired, and the replica is alive again
    await r2.sweep(true);
    expect(await listRecorded(1)).toEqual(['a']);
  });

  it('writes to the connection once to sweep all slots and once to compare all slots', async () => {
    const directory = createDirectory('r1');
    await enter(directory, 1, 'a');
    await directory.sweep(true); // loads the scripts
    await directory.reconcileAll();
    const write = jest.spyOn(store.redis.stream, 'write');
    await directory.reconcileAll();
    expect(write).toHaveBeenCalledTimes(1);
    write.mockClear();
    await directory.sweep(false);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('evicts replicas without a known lease within 30 rounds', async () => {
    await enter(createDirectory('unknown'), 1, 'a');
    dead = { foundAtMs: Number.MAX_SAFE_INTEGER, replicaIds: ['unknown'] };
    const lease = createFakeLease('r2', () => dead);
    lease.findExpired = async () => ({ foundAtMs: dead.foundAtMs, replicaIds: [] });
    const r2 = createDirectory('r2', lease);
    for (let round = 0; round < 30; round += 1) {
      await r2.reconcile();
      await r2.sweep(true);
    }
    expect(await listRecorded(1)).toEqual([]);
  });
});
