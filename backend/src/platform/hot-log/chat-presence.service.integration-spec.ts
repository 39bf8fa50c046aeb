// Uses a real Redis. `hotLog` (running chats in Redis) has one chat of the users 1 and 2 in each test. `enter` adds a
// socket of a user on a replica, `presence` is the service of the replica `r1`, and `messages` are what was published
// to `r1`.
import { until } from '../../testing/until.functions';
import { useTestHotLog } from '../../testing/test-hot-log.harness';

const GRACE_MS = 1_000;

describe('ChatPresenceService', () => {
  const hotLog = useTestHotLog();
  /** Runs a sweep in which these replicas were found dead at `foundAtMs`, by default later than every join. */
  const sweep = (deadReplicaIds: string[] = [], foundAtMs = Number.MAX_SAFE_INTEGER) => {
    hotLog.dead = { foundAtMs, replicaIds: deadReplicaIds };
    return hotLog.presence.sweep();
  };
  const listDeadlines = async () =>
    (await hotLog.store.redis.zrange(hotLog.getKeys().deadlines, '0', '-1')).filter((member) =>
      member.startsWith(hotLog.sessionId),
    );
  /** Sets the user's deadline to a time in the past. */
  const setOverdueDeadline = (userId: number) =>
    hotLog.store.redis.zadd(hotLog.getKeys().deadlines, '1', `${hotLog.sessionId}|${userId}`);

  describe('presence', () => {
    it('sets a deadline when the last socket leaves and removes it when the first one returns', async () => {
      await hotLog.enter('r1', 2);
      await hotLog.enter('r1', 1, 'tab-1');
      await hotLog.enter('r2', 1, 'tab-2');
      await hotLog.getPresence('r1').leave(hotLog.sessionId, 'tab-1', GRACE_MS);
      expect(await listDeadlines()).toEqual([]);
      await hotLog.getPresence('r2').leave(hotLog.sessionId, 'tab-2', GRACE_MS);
      expect(await listDeadlines()).toEqual([`${hotLog.sessionId}|1`]);
      await hotLog.enter('r3', 1, 'tab-3');
      expect(await listDeadlines()).toEqual([]);
      await until(() => hotLog.messages.length === 2);
      expect(hotLog.messages).toEqual(['connection 1 reconnecting', 'connection 1 connected']);
    });

    it('returns the state of the partner to a user who joins', async () => {
      // A partner without a deadline counts as connected.
      expect(await hotLog.enter('r1', 1)).toBe('connected');
      await hotLog.presence.setDeadlines(hotLog.sessionId, [1, 2], GRACE_MS);
      // User 1 is present.
      expect(await listDeadlines()).toEqual([`${hotLog.sessionId}|2`]);
      // User 2 has not been in the chat yet.
      expect(await hotLog.enter('r1', 1)).toBe('awaited');
      await hotLog.enter('r2', 2);
      expect(await hotLog.enter('r1', 1)).toBe('connected');
    });

    it('ignores a socket that leaves twice or never joined', async () => {
      await hotLog.enter('r1', 1);
      await hotLog.getPresence('r1').leave(hotLog.sessionId, 'never-joined', GRACE_MS);
      // `s-1` is the socket of user 1 by default. `leaveEndedChat` never sets a deadline, and the second leave finds no
      // socket.
      await hotLog.presence.leaveEndedChat(hotLog.sessionId, 's-1');
      await hotLog.getPresence('r1').leave(hotLog.sessionId, 's-1', GRACE_MS);
      expect(await listDeadlines()).toEqual([]);
      expect(hotLog.messages).toEqual([]);
    });

    it('deletes the deadlines and sockets of a chat that has ended', async () => {
      await hotLog.enter('r1', 1);
      await hotLog.enter('r2', 2);
      await hotLog.getPresence('r2').leave(hotLog.sessionId, 's-2', GRACE_MS);
      await hotLog.presence.forget(hotLog.sessionId, [1, 2]);
      expect(await listDeadlines()).toEqual([]);
      expect(await hotLog.store.redis.exists(hotLog.getKeys().sockets(hotLog.sessionId))).toBe(0);
    });
  });

  it('returns `reconnecting` for a partner who was in the chat and left, until they return', async () => {
    await hotLog.presence.setDeadlines(hotLog.sessionId, [1, 2], GRACE_MS);
    await hotLog.enter('r2', 2);
    await hotLog.getPresence('r2').leave(hotLog.sessionId, 's-2', GRACE_MS);
    expect(await hotLog.enter('r1', 1)).toBe('reconnecting');
    await hotLog.enter('r2', 2);
    expect(await hotLog.enter('r1', 1)).toBe('connected');
  });

  it('considers a user present only while one of their sockets shows the chat', async () => {
    const [shown, hidden] = [true, false];
    await hotLog.enter('r1', 2);
    await hotLog.enter('r1', 1, 'tab-1');
    await hotLog.enter('r2', 1, 'tab-2', hidden);
    await hotLog.enter('r1', 1, 'tab-1', hidden);
    expect(await listDeadlines()).toEqual([`${hotLog.sessionId}|1`]);
    await hotLog.enter('r2', 1, 'tab-2', shown);
    expect(await listDeadlines()).toEqual([]);
    await hotLog.getPresence('r1').leave(hotLog.sessionId, 'tab-1', GRACE_MS);
    expect(await listDeadlines()).toEqual([]);
    await hotLog.getPresence('r2').leave(hotLog.sessionId, 'tab-2', GRACE_MS);
    expect(await listDeadlines()).toEqual([`${hotLog.sessionId}|1`]);
    await until(() => hotLog.messages.length === 3);
    expect(hotLog.messages).toEqual([
      'connection 1 reconnecting',
      'connection 1 connected',
      'connection 1 reconnecting',
    ]);
  });

  it('postpones an existing deadline and does not create one', async () => {
    await hotLog.presence.setDeadlines(hotLog.sessionId, [1], GRACE_MS);
    await setOverdueDeadline(1);
    await hotLog.presence.postpone({ sessionId: hotLog.sessionId, userId: 1 }, GRACE_MS);
    await hotLog.presence.postpone({ sessionId: hotLog.sessionId, userId: 2 }, GRACE_MS);
    expect((await sweep()).filter(({ sessionId }) => sessionId === hotLog.sessionId)).toEqual([]);
    expect(await listDeadlines()).toEqual([`${hotLog.sessionId}|1`]);
  });

  describe('sweep', () => {
    it('evicts the sockets of a dead replica once and keeps those of live replicas', async () => {
      await hotLog.enter('dead', 1);
      await hotLog.enter('r1', 2);
      expect(await sweep(['dead'])).toEqual([]);
      expect(await listDeadlines()).toEqual([`${hotLog.sessionId}|1`]);
      await until(() => hotLog.messages.length === 1);
      expect(hotLog.messages).toEqual(['connection 1 reconnecting']);
      expect(await hotLog.store.redis.exists(hotLog.getKeys().replicaMembers('dead'))).toBe(0);
      expect(await hotLog.store.redis.smembers(hotLog.getKeys().replicaMembers('r1'))).toContain(
        `${hotLog.sessionId}|s-2`,
      );
      await sweep(['dead']);
      expect(hotLog.messages).toHaveLength(1);
    });

    it('does not evict a replica that has recorded a socket since it was found dead', async () => {
      await hotLog.enter('new', 1);
      const beforeJoinMs = 1;
      await sweep(['new'], beforeJoinMs);
      expect(await listDeadlines()).toEqual([]);
      expect(await hotLog.store.redis.smembers(hotLog.getKeys().replicaMembers('new'))).toContain(
        `${hotLog.sessionId}|s-1`,
      );
    });

    it('returns deadlines only when they are overdue', async () => {
      await hotLog.presence.setDeadlines(hotLog.sessionId, [1, 2], GRACE_MS);
      expect((await sweep()).filter(({ sessionId }) => sessionId === hotLog.sessionId)).toEqual([]);
      await setOverdueDeadline(2);
      expect(await sweep()).toContainEqual({ sessionId: hotLog.sessionId, userId: 2 });
    });
  });
});
