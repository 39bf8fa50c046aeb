// Real: Redis.
import { until } from '../../testing/until';
import { useTestHotLog } from '../../testing/test-hot-log';
import { cellOf } from '../redis/redis-keys';

const GRACE_MS = 1_000;

describe('presence in a chat', () => {
  const hot = useTestHotLog();
  const sweep = (...live: string[]) => hot.presence.sweep([cellOf(hot.sessionId)], live, GRACE_MS);
  const deadlines = async () =>
    (await hot.store.redis.zrange(hot.keys().deadlines, '0', '-1')).filter((member) =>
      member.startsWith(hot.sessionId),
    );
  /** As if the time had come. */
  const overdue = (userId: number) =>
    hot.store.redis.zadd(hot.keys().deadlines, '1', `${hot.sessionId}|${userId}`);
  /** As if nobody of the replica had come in for a while. */
  const longAgo = (replicaId: string) => hot.store.redis.zadd(hot.keys().entered, '1', replicaId);

  describe('knows who is there', () => {
    it('by sockets: the last one to leave starts the deadline, the first to return ends it', async () => {
      await hot.enter('r1', 2);
      await hot.enter('r1', 1, 'tab-1');
      await hot.enter('r2', 1, 'tab-2');
      await hot.presence.leave(hot.sessionId, { id: 'tab-1', replicaId: 'r1' }, GRACE_MS);
      expect(await deadlines()).toEqual([]);
      await hot.presence.leave(hot.sessionId, { id: 'tab-2', replicaId: 'r2' }, GRACE_MS);
      expect(await deadlines()).toEqual([`${hot.sessionId}|1`]);
      await hot.enter('r3', 1, 'tab-3');
      expect(await deadlines()).toEqual([]);
      await until(() => hot.messages.length === 2);
      expect(hot.messages).toEqual(['c 1 reconnecting', 'c 1 connected']);
    });

    it('and tells who enters whether the partner is', async () => {
      expect(await hot.enter('r1', 1)).toBe(true); // not here yet, and not missed either
      await hot.presence.expect(hot.sessionId, [1, 2], GRACE_MS);
      expect(await deadlines()).toEqual([`${hot.sessionId}|2`]);
      expect(await hot.enter('r1', 1)).toBe(false);
      await hot.enter('r2', 2);
      expect(await hot.enter('r1', 1)).toBe(true);
    });

    it('a socket that leaves twice, or was never there, changes nothing', async () => {
      await hot.enter('r1', 1);
      await hot.presence.leave(hot.sessionId, { id: 'nobody', replicaId: 'r1' }, GRACE_MS);
      await hot.presence.leave(hot.sessionId, { id: 's-1', replicaId: 'r1' }, -1);
      await hot.presence.leave(hot.sessionId, { id: 's-1', replicaId: 'r1' }, GRACE_MS);
      expect(await deadlines()).toEqual([]);
      expect(hot.messages).toEqual([]);
    });

    it('and forgets it with the end', async () => {
      await hot.enter('r1', 1);
      await hot.enter('r2', 2);
      await hot.presence.leave(hot.sessionId, { id: 's-2', replicaId: 'r2' }, GRACE_MS);
      await hot.presence.forget(hot.sessionId, [1, 2]);
      expect(await deadlines()).toEqual([]);
      expect(await hot.store.redis.exists(hot.keys().sockets(hot.sessionId))).toBe(0);
    });
  });

  describe('sweeps', () => {
    it('the sockets of a dead replica out, and leaves those of the living', async () => {
      await hot.enter('dead', 1);
      await hot.enter('r1', 2);
      await longAgo('dead');
      await longAgo('r1');
      expect(await sweep('r1')).toEqual([]);
      expect(await deadlines()).toEqual([`${hot.sessionId}|1`]);
      await until(() => hot.messages.length === 1);
      expect(hot.messages).toEqual(['c 1 reconnecting']);
      expect(await hot.store.redis.exists(hot.keys().ofReplica('dead'))).toBe(0);
      expect(await hot.store.redis.smembers(hot.keys().ofReplica('r1'))).toContain(`${hot.sessionId}|s-2`);
      await sweep('r1');
      expect(hot.messages).toHaveLength(1);
    });

    it('not those of a replica so new that the sweeper has not heard of it', async () => {
      await hot.enter('new', 1);
      await sweep('sweeper');
      expect(await deadlines()).toEqual([]);
      expect(await hot.store.redis.smembers(hot.keys().ofReplica('new'))).toContain(`${hot.sessionId}|s-1`);
    });

    it('and names deadlines when they are overdue, not before', async () => {
      await hot.presence.expect(hot.sessionId, [1, 2], GRACE_MS);
      expect((await sweep('r1')).filter((one) => one.sessionId === hot.sessionId)).toEqual([]);
      await overdue(2);
      expect(await sweep('r1')).toContainEqual({ sessionId: hot.sessionId, userId: 2 });
    });
  });
});
