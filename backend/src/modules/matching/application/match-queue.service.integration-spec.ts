// Uses a real Redis. The replicas r1 and r2 are not processes, only ids with a lease, by which they count as alive.
// Users are numbered 1, 2, 3 and so on. The first user of a match is the one whose call made it. Both are `claimed`
// until the match is confirmed.
import type { Gender, Preference } from '@thaw/contract/scalars';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { allCriteria, requireMatch, TestMatchQueue } from '../../../testing/test-match-queue.harness';
import { BLOCKED, COOLING } from '../infrastructure/match-record.scripts';
import type { MatchQueueService, MatchState } from './match-queue.service';

/** @throws Error when the user is not searching */
const requireSearching = (state: MatchState): Extract<MatchState, { kind: 'searching' }> => {
  if (state.kind !== 'searching') throw new Error(`Not searching but ${state.kind}`);
  return state;
};

/** The users with whom a search must not match. Some tests use it to keep compatible users waiting. */
const excluding = (...userIds: number[]): number[] => userIds;

describe('MatchQueueService', () => {
  let queue: TestMatchQueue;

  beforeAll(async () => {
    queue = await TestMatchQueue.create();
  });
  beforeEach(async () => {
    await queue.store.flush();
    await queue.grantLeases('r1', 'r2');
  });
  afterAll(() => queue.store.close());

  const r1 = (): MatchQueueService => queue.serviceOf('r1');
  const r2 = (): MatchQueueService => queue.serviceOf('r2');

  describe('a join', () => {
    const pairs = allCriteria.flatMap((waiting) => allCriteria.map((joining) => ({ waiting, joining })));
    const accepts = (preference: Preference, gender: Gender) =>
      preference === 'both' || preference === gender;

    it.each(pairs)(
      'requires mutual criteria: $waiting.gender for $waiting.preference, then $joining.gender for $joining.preference',
      async ({ waiting, joining }) => {
        await r1().join(1, waiting.gender, waiting.preference);
        const { kind } = await r2().join(2, joining.gender, joining.preference);
        const isMutual =
          accepts(waiting.preference, joining.gender) && accepts(joining.preference, waiting.gender);
        expect(kind).toBe(isMutual ? 'matched' : 'searching');
        const expectedState = isMutual ? 'claimed' : 'searching';
        expect(await queue.readStates(1, 2)).toEqual([expectedState, expectedState]);
      },
    );

    it('never pairs a user with themselves, even if they join from several tabs', async () => {
      for (const replicaId of ['r1', 'r2', 'r1']) {
        expect(await queue.serviceOf(replicaId).join(1, 'male', 'both')).toMatchObject({ kind: 'searching' });
      }
    });

    it('never pairs users of whom one has blocked the other, and keeps both in the queue', async () => {
      await r1().join(1, 'male', 'both');
      expect(await r2().join(2, 'female', 'both', excluding(1))).toMatchObject({ kind: 'searching' });
      expect([...(await queue.readQueues()).keys()].sort()).toEqual([1, 2]);
      expect(await r2().resume(2, excluding(1))).toMatchObject({ kind: 'searching' });
      expect(await r2().retry(2, excluding(1))).toMatchObject({ kind: 'searching' });
      expect(requireMatch(await r1().join(3, 'female', 'both')).userIds).toEqual([3, 1]);
    });

    it('by a searching user applies a changed preference and keeps the place in the queue', async () => {
      const first = requireSearching(await r1().join(1, 'male', 'both'));
      const second = requireSearching(await r1().join(1, 'male', 'male'));
      expect(second.since).toEqual(first.since);
      await r1().join(2, 'female', 'male');
      expect(requireMatch(await r2().join(1, 'male', 'female')).userIds).toEqual([1, 2]);
      expect((await queue.readQueues()).size).toBe(0);
    });
  });

  describe('the longest-waiting compatible user', () => {
    it('is matched first, across all compatible queues', async () => {
      await r1().join(1, 'female', 'female');
      await r1().join(2, 'female', 'both', excluding(1));
      await r1().join(3, 'male', 'male');
      await r1().join(4, 'male', 'both', excluding(2, 3));
      // User 1 waits longest, but does not want the men who join next. Of the others, 3 waits longest, then 2 and 4.
      await queue.prolongWait(1, 9_000);
      await queue.prolongWait(3, 3_000);
      await queue.prolongWait(2, 2_000);
      await queue.prolongWait(4, 1_000);
      expect(requireMatch(await r2().join(5, 'male', 'both')).userIds).toEqual([5, 3]);
      expect(requireMatch(await r2().join(6, 'male', 'both')).userIds).toEqual([6, 2]);
      expect(requireMatch(await r2().join(7, 'male', 'both')).userIds).toEqual([7, 4]);
    });

    it('is found behind more excluded users than fit on one page', async () => {
      // The search reads pages of 32 users, so the excluded users fill more than three pages.
      const blocked = Array.from({ length: 100 }, (_, index) => 100 + index);
      for (const userId of blocked) {
        await r1().join(userId, 'male', 'female');
        await queue.prolongWait(userId, 10_000);
      }
      await r1().join(1, 'male', 'female');
      const match = requireMatch(await r2().join(2, 'female', 'both', excluding(...blocked)));
      expect(match.userIds).toEqual([2, 1]);
    });

    it('is skipped while no live replica holds one of their sockets', async () => {
      await queue.grantLeases('r3');
      await queue.serviceOf('r3').join(1, 'male', 'both');
      await r1().join(2, 'male', 'male', excluding(1));
      await queue.revokeLease('r3');
      expect(requireMatch(await r2().join(3, 'male', 'both')).userIds).toEqual([3, 2]);
      // User 1 is parked: still searching, but in no queue.
      expect(await queue.readStates(1)).toEqual(['searching']);
      expect((await queue.readQueues()).has(1)).toBe(false);
    });

    it('is matched only within their pool, even if a queue of another pool contains them', async () => {
      await r1().join(1, 'male', 'both', excluding(), 'care'); // the pool of flagged users
      // A replica of an earlier release, which ignores pools, may add a flagged user to a common queue.
      const commonQueue = matchingKeys.queue('male', 'both');
      await queue.store.redis.zadd(commonQueue, 1, '1');
      expect(await r2().join(2, 'male', 'both')).toMatchObject({ kind: 'searching' });
      // The join has removed the wrong entry.
      expect(await queue.store.redis.zrange(commonQueue, '0', '-1')).toEqual(['2']);
      const match = requireMatch(await r2().join(3, 'male', 'both', excluding(), 'care'));
      expect(match.userIds).toEqual([3, 1]);
    });
  });

  describe('a user', () => {
    it('has one entry in the queue, however often and from whichever replica they join', async () => {
      const joins = Array.from({ length: 20 }, (_, index) => {
        const service = index % 2 ? r1() : r2();
        return service.join(1, 'male', index % 3 ? 'both' : 'female');
      });
      const startTimes = (await Promise.all(joins)).map((state) => requireSearching(state).since.getTime());
      expect(new Set(startTimes).size).toBe(1);
      expect((await queue.readQueues()).get(1)).toHaveLength(1);
    });

    it('receives the session of the match when joining again', async () => {
      await r1().join(1, 'male', 'both');
      const match = requireMatch(await r2().join(2, 'male', 'both'));
      const { sessionId } = match;
      expect(await r1().join(1, 'male', 'both')).toMatchObject({ kind: 'claimed', sessionId });
      expect(await r1().join(2, 'male', 'both')).toMatchObject({ kind: 'claimed', sessionId });
      await r2().confirm(match);
      expect(await r1().join(1, 'male', 'both')).toMatchObject({ kind: 'chatting', sessionId });
      expect((await queue.readQueues()).size).toBe(0);
    });

    it('keeps the place while at least one replica holds one of their sockets', async () => {
      await r1().join(1, 'male', 'both');
      await r2().resume(1);
      await r1().depart(1);
      expect(requireMatch(await r2().join(2, 'male', 'both')).userIds).toEqual([2, 1]);
    });
  });

  describe('a user whose last socket closes', () => {
    it('is skipped, and returns to the old place when they reconnect', async () => {
      const joined = requireSearching(await r1().join(1, 'male', 'both'));
      await r1().depart(1);
      expect(await r1().join(2, 'male', 'both')).toMatchObject({ kind: 'searching' });
      await r1().leave(2);
      const resumed = requireSearching(await r2().resume(1));
      expect(resumed.since).toEqual(joined.since);
      expect(await queue.store.redis.pttl(matchingKeys.user(1))).toBe(-1); // no expiry
    });

    it('is matched when they reconnect and a compatible user waits', async () => {
      await r1().join(1, 'male', 'both');
      await r1().depart(1);
      await r1().join(2, 'male', 'both');
      expect(requireMatch(await r2().resume(1)).userIds).toEqual([1, 2]);
    });

    it('keeps the place for 35 s and no longer', async () => {
      await r1().join(1, 'male', 'both');
      await r1().depart(1);
      const ttl = await queue.store.redis.pttl(matchingKeys.user(1));
      expect(ttl).toBeGreaterThan(34_000);
      expect(ttl).toBeLessThanOrEqual(35_000);
      await queue.store.redis.del(matchingKeys.user(1)); // as if the 35 s had passed
      expect(await r1().resume(1)).toEqual({ kind: 'idle' });
      expect(await queue.store.listKeys('{matching}:queue:*')).toEqual([]);
    });

    it('keeps the place for a while if the replica has died and a join has skipped them', async () => {
      expect(await r1().join(1, 'male', 'both')).toMatchObject({ kind: 'searching' });
      await queue.revokeLease('r1');
      await r2().join(2, 'male', 'both');
      expect(await queue.store.redis.pttl(matchingKeys.user(1))).toBeGreaterThan(0);
      expect(requireMatch(await r2().resume(1)).userIds).toEqual([1, 2]);
    });
  });

  describe('a pair of recent partners', () => {
    /** Matches the users 1 and 2, and ends their chat. */
    const chatOnce = async (service: MatchQueueService): Promise<void> => {
      await service.join(1, 'male', 'both');
      const match = requireMatch(await service.join(2, 'male', 'both'));
      await service.confirm(match);
      await service.finish(match);
      expect(await queue.readStates(1, 2)).toEqual([undefined, undefined]);
    };

    it('is not matched again for ten minutes', async () => {
      // The searches of the test are shorter than 100 s, so the cool-down is not ignored.
      const service = queue.serviceOf('r1', { REMATCH_RELAX_AFTER_S: 100 });
      await chatOnce(service);
      await service.join(1, 'male', 'both');
      expect(await service.join(2, 'male', 'both')).toMatchObject({ kind: 'searching' });
      expect(await queue.store.redis.pttl(matchingKeys.separation(1, 2))).toBeGreaterThan(599_000);
      await queue.store.redis.del(matchingKeys.separation(1, 2)); // as if the ten minutes had passed
      expect(requireMatch(await service.retry(1)).userIds).toEqual([1, 2]);
    });

    it('is matched by a retry after `retryInMs` if no other user is compatible', async () => {
      // The cool-down is ignored when one of the two has waited 10 s.
      const service = queue.serviceOf('r1', { REMATCH_RELAX_AFTER_S: 10 });
      await chatOnce(service);
      await service.join(1, 'male', 'both');
      await queue.prolongWait(1, 4_000);
      const { retryInMs } = requireSearching(await service.join(2, 'male', 'both'));
      expect(retryInMs).toBeGreaterThan(5_000);
      expect(retryInMs).toBeLessThanOrEqual(6_000);
      await queue.prolongWait(1, 6_000);
      expect(requireMatch(await service.retry(2)).userIds).toEqual([2, 1]);
    });

    it('is matched again as soon as one of the two has waited long enough', async () => {
      const service = queue.serviceOf('r1', { REMATCH_RELAX_AFTER_S: 10 });
      await chatOnce(service);
      await service.join(2, 'male', 'female'); // user 1 is not a woman, so the two are not compatible yet
      await queue.prolongWait(2, 11_000);
      await service.join(1, 'male', 'both');
      expect(requireMatch(await service.join(2, 'male', 'both')).userIds).toEqual([2, 1]);
    });

    it('is not matched again while a compatible new user waits, however long the partners have waited', async () => {
      const service = queue.serviceOf('r1', { REMATCH_RELAX_AFTER_S: 10 });
      await chatOnce(service);
      await service.join(1, 'male', 'both');
      await service.join(3, 'male', 'both', excluding(1));
      await queue.prolongWait(1, 60_000);
      expect(requireMatch(await service.join(2, 'male', 'both')).userIds).toEqual([2, 3]);
    });

    it('is not matched while one excludes the other, even if REMATCH_RELAX_AFTER_S is 0', async () => {
      const service = queue.serviceOf('r1', { REMATCH_RELAX_AFTER_S: 0 });
      await chatOnce(service);
      await service.join(1, 'male', 'both');
      await queue.prolongWait(1, 60_000);
      const state = requireSearching(await service.join(2, 'male', 'both', excluding(1)));
      expect(state.retryInMs).toBeNull();
    });

    it('is never matched after one has blocked the other, until the block is lifted', async () => {
      const service = queue.serviceOf('r1', { REMATCH_RELAX_AFTER_S: 0 });
      await chatOnce(service);
      await service.separate(2, 1);
      await service.join(1, 'male', 'both');
      await queue.prolongWait(1, 60_000);
      expect(requireSearching(await service.join(2, 'male', 'both')).retryInMs).toBeNull();
      await service.allowAgain(1, 2);
      expect(requireMatch(await service.retry(1)).userIds).toEqual([1, 2]);
    });

    it('is kept apart for an hour after a block, since later searches exclude the blocked user', async () => {
      const service = r1();
      await chatOnce(service);
      expect(await service.separate(2, 1)).toBeNull(); // the two are not in a chat
      expect(await queue.store.redis.pttl(matchingKeys.separation(1, 2))).toBeGreaterThan(3_599_000);
    });

    it('keeps its cool-down when a block is lifted that no longer has a key in Redis', async () => {
      const service = r1();
      await chatOnce(service);
      await service.allowAgain(1, 2);
      expect(await queue.store.redis.get(matchingKeys.separation(1, 2))).toBe(COOLING);
    });

    it('stays blocked when the chat that was running at the block ends', async () => {
      const service = r1();
      await service.join(1, 'male', 'both');
      const match = requireMatch(await service.join(2, 'male', 'both'));
      await service.confirm(match);
      expect(await service.separate(1, 2)).toBe(match.sessionId);
      await service.finish(match);
      expect(await queue.store.redis.get(matchingKeys.separation(1, 2))).toBe(BLOCKED);
    });

    it('is matched again without delay when REMATCH_COOLDOWN_S and REMATCH_RELAX_AFTER_S are 0', async () => {
      const service = queue.serviceOf('r1', { REMATCH_COOLDOWN_S: 0, REMATCH_RELAX_AFTER_S: 0 });
      await chatOnce(service);
      await chatOnce(service); // throws unless the two are matched
    });
  });

  describe('leaving the queue', () => {
    it('removes the user, and a second call finds no user to remove', async () => {
      await r1().join(1, 'male', 'both');
      expect(await r2().leave(1)).toEqual({ kind: 'left' });
      expect(await r1().leave(1)).toEqual({ kind: 'idle' });
      for (const pattern of ['{matching}:queue:*', '{matching}:user:*']) {
        expect(await queue.store.listKeys(pattern)).toEqual([]);
      }
    });

    it('is not caused by finishing an earlier chat of the user late', async () => {
      await r1().join(1, 'male', 'both');
      const earlierMatch = requireMatch(await r1().join(2, 'male', 'both'));
      await r1().confirm(earlierMatch);
      await r1().finish(earlierMatch);
      await r1().join(1, 'male', 'both');
      await r2().finish(earlierMatch);
      expect(await queue.readStates(1)).toEqual(['searching']);
    });
  });
});
