// Uses a real Redis.
import { until } from '../../testing/until.functions';
import { useTestHotLog } from '../../testing/test-hot-log.harness';

const GRACE_MS = 1_000;

describe('ChatPresenceService', () => {
  const hot = useTestHotLog();
  /** Runs a sweep that found these replicas dead at the given time of Redis, by default now. */
  const sweep = (dead: string[] = [], foundAtMs = Number.MAX_SAFE_INTEGER) => {
    hot.dead = { foundAtMs, replicaIds: dead };
    return hot.presence.sweep();
  };
  const listDeadlines = async () =>
    (await hot.store.redis.zrange(hot.getKeys().deadlines, '0', '-1')).filter((member) =>
      member.startsWith(hot.sessionId),
    );
  /** Moves the user's deadline into the past. */
  const addOverdue = (userId: number) =>
    hot.store.redis.zadd(hot.getKeys().deadlines, '1', `${hot.sessionId}|${userId}`);
  describe('presence', () => {
    it('sets a deadline when the last socket leaves and removes it when the first one returns', async () => {
      await hot.enter('r1', 2);
      await hot.enter('r1', 1, 'tab-1');
      await hot.enter('r2', 1, 'tab-2');
      await hot.getPresence('r1').leave(hot.sessionId, 'tab-1', GRACE_MS);
      expect(await listDeadlines()).toEqual([]);
      await hot.getPresence('r2').leave(hot.sessionId, 'tab-2', GRACE_MS);
      expect(await listDeadlines()).toEqual([`${hot.sessionId}|1`]);
      await hot.enter('r3', 1, 'tab-3');
      expect(await listDeadlines()).toEqual([]);
      await until(() => hot.messages.length === 2);
      expect(hot.messages).toEqual(['connection 1 reconnecting', 'connection 1 connected']);
    });

    it('returns to a joining user whether the partner is present', async () => {
      expect(await hot.enter('r1', 1)).toBe('connected'); // the partner has no deadline yet
      await hot.presence.setDeadlines(hot.sessionId, [1, 2], GRACE_MS);
      expect(await listDeadlines()).toEqual([`${hot.sessionId}|2`]);
      expect(await hot.enter('r1', 1)).toBe('awaited');
      await hot.enter('r2', 2);
      expect(await hot.enter('r1', 1)).toBe('connected');
    });

    it('ignores a socket that leaves twice or never joined', async () => {
      await hot.enter('r1', 1);
      await hot.getPresence('r1').leave(hot.sessionId, 'nobody', GRACE_MS);
      await hot.presence.leaveEnded(hot.sessionId, 's-1');
      await hot.getPresence('r1').leave(hot.sessionId, 's-1', GRACE_MS);
      expect(await listDeadlines()).toEqual([]);
      expect(hot.messages).toEqual([]);
    });

    it('deletes deadlines and sockets when the chat ends', async () => {
      await hot.enter('r1', 1);
      await hot.enter('r2', 2);
      await hot.getPresence('r2').leave(hot.sessionId, 's-2', GRACE_MS);
      await hot.presence.forget(hot.sessionId, [1, 2]);
      expect(await listDeadlines()).toEqual([]);
      expect(await hot.store.redis.exists(hot.getKeys().sockets(hot.sessionId))).toBe(0);
    });
  });

  it('returns `reconnecting` for a partner who was in the chat and left, until they return', async () => {
    await hot.presence.setDeadlines(hot.sessionId, [1, 2], GRACE_MS);
    await hot.enter('r2', 2);
    await hot.getPresence('r2').leave(hot.sessionId, 's-2', GRACE_MS);
    expect(await hot.enter('r1', 1)).toBe('reconnecting');
    await hot.enter('r2', 2);
    expect(await hot.enter('r1', 1)).toBe('connected');
  });

  it('counts only sockets that show the chat as presence', async () => {
    await hot.enter('r1', 2);
    await hot.enter('r1', 1, 'tab-1');
    await hot.enter('r2', 1, 'tab-2', false);
    await hot.enter('r1', 1, 'tab-1', false);
    expect(await listDeadlines()).toEqual([`${hot.sessionId}|1`]);
    await hot.enter('r2', 1, 'tab-2', true);
    expect(await listDeadlines()).toEqual([]);
    await hot.getPresence('r1').leave(hot.sessionId, 'tab-1', GRACE_MS);
    expect(await listDeadlines()).toEqual([]);
    await hot.getPresence('r2').leave(hot.sessionId, 'tab-2', GRACE_MS);
    expect(await listDeadlines()).toEqual([`${hot.sessionId}|1`]);
    await until(() => hot.messages.length === 3);
    expect(hot.messages).toEqual([
      'connection 1 reconnecting',
      'connection 1 connected',
      'connection 1 reconnecting',
    ]);
  });

  it('postpones an existing deadline and does not create one', async () => {
    await hot.presence.setDeadlines(hot.sessionId, [1], GRACE_MS);
    await addOverdue(1);
    await hot.presence.postpone({ sessionId: hot.sessionId, userId: 1 }, GRACE_MS);
    await hot.presence.postpone({ sessionId: hot.sessionId, userId: 2 }, GRACE_MS);
    expect((await sweep()).filter((one) => one.sessionId === hot.sessionId)).toEqual([]);
    expect(await listDeadlines()).toEqual([`${hot.sessionId}|1`]);
  });

  describe('sweep', () => {
    it('evicts the sockets of a dead replica and keeps those of live replicas', async () => {
      await hot.enter('dead', 1);
      await hot.enter('r1', 2);
      expect(await sweep(['dead'])).toEqual([]);
      expect(await listDeadlines()).toEqual([`${hot.sessionId}|1`]);
      await until(() => hot.messages.length === 1);
      expect(hot.messages).toEqual(['connection 1 reconnecting']);
      expect(await hot.store.redis.exists(hot.getKeys().ofReplica('dead'))).toBe(0);
      expect(await hot.store.redis.smembers(hot.getKeys().ofReplica('r1'))).toContain(`${hot.sessionId}|s-2`);
      await sweep(['dead']);
      expect(hot.messages).toHaveLength(1);
    });

    it('does not evict a replica that has recorded a socket since it was found dead', async () => {
      await hot.enter('new', 1);
      await sweep(['new'], 1);
      expect(await listDeadlines()).toEqual([]);
      expect(await hot.store.redis.smembers(hot.getKeys().ofReplica('new'))).toContain(
        `${hot.sessionId}|s-1`,
      );
    });

    it('returns deadlines only when they are overdue', async () => {
      await hot.presence.setDeadlines(hot.sessionId, [1, 2], GRACE_MS);
      expect((await sweep()).filter((one) => one.sessionId === hot.sessionId)).toEqual([]);
      await addOverdue(2);
      expect(await sweep()).toContainEqual({ sessionId: hot.sessionId, userId: 2 });
    });
  });
});
