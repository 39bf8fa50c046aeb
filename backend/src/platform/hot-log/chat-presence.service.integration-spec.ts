// Uses a real Redis. `hotLog` is the part of Redis with the running chats: in each test, a new chat of the users 1 and
// 2. `hotLog.messages` are the messages that were published to the replica `r1`.
import { until } from '../../testing/until.functions';
import { useTestHotLog } from '../../testing/test-hot-log.harness';

const GRACE_MS = 1_000;

describe('ChatPresenceService', () => {
  const hotLog = useTestHotLog();

  /** Lets a socket of a user join and show the chat. @returns the state of the partner */
  const join = (replicaId: string, userId: number, socketId = `s-${userId}`) =>
    hotLog.enter(replicaId, userId, socketId);
  /** Lets a socket of a user join, or stay in the chat, without showing it. */
  const hide = (replicaId: string, userId: number, socketId: string) =>
    hotLog.enter(replicaId, userId, socketId, { showsChat: false });
  const leave = (replicaId: string, socketId: string) =>
    hotLog.getPresence(replicaId).leave(hotLog.sessionId, socketId, GRACE_MS);

  const setDeadlines = (...userIds: number[]) =>
    hotLog.presence.setDeadlines(hotLog.sessionId, userIds, GRACE_MS);
  /** Sets the user's deadline to a time in the past. */
  const setOverdueDeadline = (userId: number) =>
    hotLog.store.redis.zadd(hotLog.getKeys().deadlines, '1', `${hotLog.sessionId}|${userId}`);
  const listUsersWithDeadline = async (): Promise<number[]> => {
    const prefix = `${hotLog.sessionId}|`;
    const members = await hotLog.store.redis.zrange(hotLog.getKeys().deadlines, '0', '-1');
    // The key also contains the chats of other tests.
    const membersOfChat = members.filter((member) => member.startsWith(prefix));
    return membersOfChat.map((member) => Number(member.slice(prefix.length)));
  };
  /**
   * Runs a sweep in which these replicas were found dead at `foundAtMs`, by default later than every join.
   * @returns the users of the chat whose deadline is overdue
   */
  const sweep = async (deadReplicaIds: string[] = [], foundAtMs = Number.MAX_SAFE_INTEGER) => {
    hotLog.dead = { foundAtMs, replicaIds: deadReplicaIds };
    const overdue = await hotLog.presence.sweep();
    return overdue.flatMap(({ sessionId, userId }) => (sessionId === hotLog.sessionId ? userId : []));
  };

  describe('the deadline of a user', () => {
    it('is set when their last socket leaves, and deleted when they return', async () => {
      await join('r1', 2);
      await join('r1', 1, 'tab-1');
      await join('r2', 1, 'tab-2');
      await leave('r1', 'tab-1');
      expect(await listUsersWithDeadline()).toEqual([]);
      await leave('r2', 'tab-2');
      expect(await listUsersWithDeadline()).toEqual([1]);
      await join('r3', 1, 'tab-3');
      expect(await listUsersWithDeadline()).toEqual([]);
      await until(() => hotLog.messages.length === 2);
      expect(hotLog.messages).toEqual(['connection 1 reconnecting', 'connection 1 connected']);
    });

    it('runs only while none of their sockets shows the chat', async () => {
      await join('r1', 2);
      await join('r1', 1, 'tab-1');
      await hide('r2', 1, 'tab-2');
      await hide('r1', 1, 'tab-1');
      expect(await listUsersWithDeadline()).toEqual([1]);
      await join('r2', 1, 'tab-2');
      expect(await listUsersWithDeadline()).toEqual([]);
      await leave('r1', 'tab-1'); // hidden, so `tab-2` still shows the chat
      expect(await listUsersWithDeadline()).toEqual([]);
      await leave('r2', 'tab-2');
      expect(await listUsersWithDeadline()).toEqual([1]);
      await until(() => hotLog.messages.length === 3);
      expect(hotLog.messages).toEqual([
        'connection 1 reconnecting',
        'connection 1 connected',
        'connection 1 reconnecting',
      ]);
    });

    it('is set only if they are absent', async () => {
      await join('r1', 1);
      await setDeadlines(1, 2);
      expect(await listUsersWithDeadline()).toEqual([2]);
    });

    it('is not set by a socket that leaves without having joined', async () => {
      await join('r1', 1);
      await leave('r1', 'never-joined');
      expect(await listUsersWithDeadline()).toEqual([]);
      expect(hotLog.messages).toEqual([]);
    });

    it('is not set by a socket that leaves the ended chat, even if it leaves twice', async () => {
      await join('r1', 1, 'tab-1');
      await hotLog.presence.leaveEndedChat(hotLog.sessionId, 'tab-1');
      await leave('r1', 'tab-1');
      expect(await listUsersWithDeadline()).toEqual([]);
      expect(hotLog.messages).toEqual([]);
    });

    it('is postponed if it exists, and otherwise not created', async () => {
      await setDeadlines(1);
      await setOverdueDeadline(1);
      await hotLog.presence.postpone({ sessionId: hotLog.sessionId, userId: 1 }, GRACE_MS);
      await hotLog.presence.postpone({ sessionId: hotLog.sessionId, userId: 2 }, GRACE_MS);
      expect(await sweep()).toEqual([]); // it is no longer overdue
      expect(await listUsersWithDeadline()).toEqual([1]);
    });

    it('is deleted with the sockets of the chat once the chat has ended', async () => {
      await join('r1', 1);
      await join('r2', 2, 'tab-2');
      await leave('r2', 'tab-2');
      await hotLog.presence.forget(hotLog.sessionId, [1, 2]);
      expect(await listUsersWithDeadline()).toEqual([]);
      expect(await hotLog.store.redis.exists(hotLog.getKeys().sockets(hotLog.sessionId))).toBe(0);
    });
  });

  describe('the state of the partner, which a user gets when they join,', () => {
    it('is `connected` if the partner has no deadline', async () => {
      expect(await join('r1', 1)).toBe('connected');
    });

    it('is `awaited` if the partner has a deadline and never joined, and `connected` once they join', async () => {
      await setDeadlines(1, 2);
      expect(await join('r1', 1)).toBe('awaited');
      await join('r2', 2);
      expect(await join('r1', 1)).toBe('connected');
    });

    it('is `reconnecting` if the partner has left the chat, and `connected` once they return', async () => {
      await setDeadlines(1, 2);
      await join('r2', 2, 'tab-2');
      await leave('r2', 'tab-2');
      expect(await join('r1', 1)).toBe('reconnecting');
      await join('r2', 2, 'tab-2');
      expect(await join('r1', 1)).toBe('connected');
    });
  });

  describe('sweep', () => {
    it('evicts the sockets of a dead replica once and keeps those of live replicas', async () => {
      await join('dead', 1);
      await join('r1', 2, 'tab-2');
      expect(await sweep(['dead'])).toEqual([]);
      expect(await listUsersWithDeadline()).toEqual([1]);
      await until(() => hotLog.messages.length === 1);
      expect(hotLog.messages).toEqual(['connection 1 reconnecting']);
      expect(await hotLog.store.redis.exists(hotLog.getKeys().replicaMembers('dead'))).toBe(0);
      expect(await hotLog.store.redis.smembers(hotLog.getKeys().replicaMembers('r1'))).toContain(
        `${hotLog.sessionId}|tab-2`,
      );
      await sweep(['dead']);
      expect(hotLog.messages).toHaveLength(1);
    });

    it('does not evict a replica that has recorded a socket since it was found dead', async () => {
      await join('new', 1, 'tab-1');
      const beforeJoinMs = 1; // long ago
      await sweep(['new'], beforeJoinMs);
      expect(await listUsersWithDeadline()).toEqual([]);
      expect(await hotLog.store.redis.smembers(hotLog.getKeys().replicaMembers('new'))).toContain(
        `${hotLog.sessionId}|tab-1`,
      );
    });

    it('returns deadlines only when they are overdue', async () => {
      await setDeadlines(1, 2);
      expect(await sweep()).toEqual([]);
      await setOverdueDeadline(2);
      expect(await sweep()).toContain(2);
    });
  });
});
