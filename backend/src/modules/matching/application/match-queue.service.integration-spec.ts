// Runs against real Redis. The replicas are leases and ids only.
import fc from 'fast-check';
import type { Gender, Preference } from '@thaw/contract/scalars';
import type { Environment } from '../../../config/environment.config';
import type { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { connectRedis } from '../../../platform/redis/redis.module';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { MatchQueueModel } from '../../../testing/match-queue.model';
import { anyCrowd, anySteps } from '../../../testing/match-queue-steps.fixture';
import { createTestRedis, type TestRedis } from '../../../testing/test-redis.harness';
import { type Match, MatchQueueService, type MatchState } from './match-queue.service';

const genders: readonly Gender[] = ['male', 'female'];
const preferences: readonly Preference[] = ['both', 'male', 'female'];
const allCriteria = genders.flatMap((gender) => preferences.map((preference) => ({ gender, preference })));

const isLong = process.env.THAW_TEST_LONG === '1';

describe('matching', () => {
  let store: TestRedis;
  const redis = () => store.redis;

  /** The service of one replica. */
  const replica = (replicaId: string, settings: Partial<Environment> = {}): MatchQueueService =>
    new MatchQueueService(
      store.redis,
      { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: 600, ...settings } as Environment,
      { replicaId } as ReplicaLeaseService,
    );
  const live = async (...replicaIds: string[]): Promise<void> => {
    for (const replicaId of replicaIds)
      await redis().zadd(matchingKeys.leases, '1000000000000000', replicaId);
  };
  const kill = (replicaId: string) => redis().zrem(matchingKeys.leases, replicaId);

  const queued = async (): Promise<Map<number, { queue: string; since: number }[]>> => {
    const found = new Map<number, { queue: string; since: number }[]>();
    for (const { gender, preference } of allCriteria) {
      const queue = matchingKeys.queue(gender, preference);
      const members = await redis().zrange(queue, '0', '-1', 'WITHSCORES');
      for (let index = 0; index < members.length; index += 2) {
        const userId = Number(members[index]);
        found.set(userId, [...(found.get(userId) ?? []), { queue, since: Number(members[index + 1]) }]);
      }
    }
    return found;
  };
  /** Makes a user's wait longer by `byMs`, as if that time had passed in Redis. */
  const age = async (userId: number, byMs: number): Promise<void> => {
    const key = matchingKeys.user(userId);
    const [gender = '', preference = '', since = ''] = await redis().hmget(
      key,
      'gender',
      'preference',
      'since',
    );
    const earlier = Number(since) - byMs;
    await redis().hset(key, 'since', earlier);
    await redis().zadd(matchingKeys.queue(gender ?? '', preference ?? ''), earlier, userId);
  };
  const matched = (place: MatchState): Match => {
    if (place.kind !== 'matched') throw new Error(`Not matched but ${place.kind}`);
    return place.match;
  };
  const stateOf = async (...userIds: number[]): Promise<(string | undefined)[]> =>
    (await replica('observer').readRecords(userIds)).map((record) => record?.state);

  beforeAll(async () => {
    store = await createTestRedis();
  });
  beforeEach(async () => {
    await store.flush();
    await live('r1', 'r2');
  });
  afterAll(async () => {
    await store.close();
  });

  describe('matching', () => {
    const pairs = allCriteria.flatMap((waiting) => allCriteria.map((joining) => ({ waiting, joining })));
    const admits = (preference: Preference, gender: Gender) => preference === 'both' || preference === gender;

    it.each(pairs)(
      'requires mutual criteria: $waiting.gender for $waiting.preference, then $joining.gender for $joining.preference',
      async ({ waiting, joining }) => {
        await replica('r1').join(1, waiting.gender, waiting.preference);
        const { kind } = await replica('r2').join(2, joining.gender, joining.preference);
        const isMutual =
          admits(waiting.preference, joining.gender) && admits(joining.preference, waiting.gender);
        expect(kind).toBe(isMutual ? 'matched' : 'searching');
        expect(await stateOf(1, 2)).toEqual(isMutual ? ['claimed', 'claimed'] : ['searching', 'searching']);
      },
    );

    it('never pairs a user with themselves, however many tabs join', async () => {
      for (const id of ['r1', 'r2', 'r1']) {
        expect(await replica(id).join(1, 'male', 'both')).toMatchObject({ kind: 'searching' });
      }
    });

    it('never pairs users of whom one has blocked the other, and keeps both in the queue', async () => {
      await replica('r1').join(1, 'male', 'both');
      expect(await replica('r2').join(2, 'female', 'both', [1])).toMatchObject({ kind: 'searching' });
      expect([...(await queued()).keys()].sort()).toEqual([1, 2]);
      expect(await replica('r2').resume(2, [1])).toMatchObject({ kind: 'searching' });
      expect(await replica('r2').retry(2, [1])).toMatchObject({ kind: 'searching' });
      expect(matched(await replica('r1').join(3, 'female', 'both')).userIds).toEqual([3, 1]);
    });

    it('applies a changed preference at once and keeps the place', async () => {
      const first = await replica('r1').join(1, 'male', 'male');
      await replica('r1').join(2, 'female', 'male');
      const second = await replica('r1').join(1, 'male', 'male');
      expect(second).toMatchObject({ kind: 'searching', since: (first as { since: Date }).since });
      expect(matched(await replica('r2').join(1, 'male', 'female')).userIds).toEqual([1, 2]);
      expect((await queued()).size).toBe(0);
    });
  });

  describe('the longest-waiting user', () => {
    it('is matched first, across all compatible queues', async () => {
      await replica('r1').join(1, 'female', 'female'); // not compatible
      await replica('r1').join(2, 'female', 'both', [1]);
      await replica('r1').join(3, 'male', 'male');
      await replica('r1').join(4, 'male', 'both', [2, 3]);
      for (const [userId, byMs] of [
        [1, 9_000],
        [2, 2_000],
        [3, 3_000],
        [4, 1_000],
      ] as const)
        await age(userId, byMs);
      expect(matched(await replica('r2').join(5, 'male', 'both')).userIds).toEqual([5, 3]);
      expect(matched(await replica('r2').join(6, 'male', 'both')).userIds).toEqual([6, 2]);
      expect(matched(await replica('r2').join(7, 'male', 'both')).userIds).toEqual([7, 4]);
    });

    it('is found behind more excluded users than fit on one page', async () => {
      const blocked = Array.from({ length: 100 }, (_, index) => 100 + index);
      for (const userId of blocked) {
        await replica('r1').join(userId, 'male', 'female');
        await age(userId, 10_000);
      }
      await replica('r1').join(1, 'male', 'female');
      expect(matched(await replica('r2').join(2, 'female', 'both', blocked)).userIds).toEqual([2, 1]);
    });

    it('is skipped without a live replica', async () => {
      await live('r3');
      await replica('r3').join(1, 'male', 'both');
      await replica('r1').join(2, 'male', 'male', [1]);
      await kill('r3');
      expect(matched(await replica('r2').join(3, 'male', 'both')).userIds).toEqual([3, 2]);
      expect(await stateOf(1)).toEqual(['searching']);
      expect((await queued()).has(1)).toBe(false);
    });
  });

  describe('a user', () => {
    it('has one entry in the queue, however often and from whichever replica they join', async () => {
      const places = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          replica(index % 2 ? 'r1' : 'r2').join(1, 'male', index % 3 ? 'both' : 'female'),
        ),
      );
      expect(new Set(places.map((place) => place.kind === 'searching' && place.since.getTime())).size).toBe(
        1,
      );
      expect((await queued()).get(1)).toHaveLength(1);
    });

    it('receives the present state when joining again after a match', async () => {
      await replica('r1').join(1, 'male', 'both');
      const match = matched(await replica('r2').join(2, 'male', 'both'));
      for (const userId of [1, 2]) {
        expect(await replica('r1').join(userId, 'male', 'both')).toMatchObject({
          kind: 'claimed',
          sessionId: match.sessionId,
        });
      }
      await replica('r2').confirm(match);
      expect(await replica('r1').join(1, 'male', 'both')).toMatchObject({
        kind: 'chatting',
        sessionId: match.sessionId,
      });
      expect((await queued()).size).toBe(0);
    });

    it('keeps the place as long as one replica holds it', async () => {
      await replica('r1').join(1, 'male', 'both');
      await replica('r2').resume(1);
      await replica('r1').depart(1);
      expect(matched(await replica('r2').join(2, 'male', 'both')).userIds).toEqual([2, 1]);
    });
  });

  describe('a user whose last socket closes', () => {
    it('is skipped, and has the old place after the return', async () => {
      const first = await replica('r1').join(1, 'male', 'both');
      await replica('r1').depart(1);
      expect(await replica('r1').join(2, 'male', 'both')).toMatchObject({ kind: 'searching' });
      await replica('r1').leave(2);
      expect(await replica('r2').resume(1)).toMatchObject({
        kind: 'searching',
        since: (first as { since: Date }).since,
      });
      expect(await redis().pttl(matchingKeys.user(1))).toBe(-1);
    });

    it('is matched on return when a compatible user waits', async () => {
      await replica('r1').join(1, 'male', 'both');
      await replica('r1').depart(1);
      await replica('r1').join(2, 'male', 'both');
      expect(matched(await replica('r2').resume(1)).userIds).toEqual([1, 2]);
    });

    it('keeps the place for 35 s and no longer', async () => {
      await replica('r1').join(1, 'male', 'both');
      await replica('r1').depart(1);
      const ttl = await redis().pttl(matchingKeys.user(1));
      expect(ttl).toBeGreaterThan(34_000);
      expect(ttl).toBeLessThanOrEqual(35_000);
      await redis().del(matchingKeys.user(1)); // as if they had passed
      expect(await replica('r1').resume(1)).toEqual({ kind: 'idle' });
      expect(await store.keys('{matching}:queue:*')).toEqual([]);
    });

    it('keeps the place after their replica died, once another attempt has skipped them', async () => {
      const first = await replica('r1').join(1, 'male', 'both');
      await kill('r1');
      await replica('r2').join(2, 'male', 'both');
      expect(await redis().pttl(matchingKeys.user(1))).toBeGreaterThan(0);
      expect(matched(await replica('r2').resume(1))).toMatchObject({ userIds: [1, 2] });
      expect(first.kind).toBe('searching');
    });
  });

  describe('a pair of recent partners', () => {
    const together = async (service: MatchQueueService, one = 1, other = 2): Promise<void> => {
      await service.join(one, 'male', 'both');
      const match = matched(await service.join(other, 'male', 'both'));
      await service.confirm(match);
      await service.finish(match);
      expect(await stateOf(one, other)).toEqual([undefined, undefined]);
    };

    it('is not matched again for ten minutes', async () => {
      const service = replica('r1', { REMATCH_RELAX_AFTER_S: 100 });
      await together(service);
      await service.join(1, 'male', 'both');
      expect(await service.join(2, 'male', 'both')).toMatchObject({ kind: 'searching' });
      expect(await redis().pttl('{matching}:cool-down:1-2')).toBeGreaterThan(599_000);
      await redis().del('{matching}:cool-down:1-2');
      expect(matched(await service.retry(1)).userIds).toEqual([1, 2]);
    });

    it('receives the time until a retry, which matches the pair when no other user is compatible', async () => {
      const service = replica('r1', { REMATCH_RELAX_AFTER_S: 10 });
      await together(service);
      await service.join(1, 'male', 'both');
      await age(1, 4_000);
      const passedOver = await service.join(2, 'male', 'both');
      if (passedOver.kind !== 'searching') throw new Error(passedOver.kind);
      expect(passedOver.retryInMs).toBeGreaterThan(5_000);
      expect(passedOver.retryInMs).toBeLessThanOrEqual(6_000);
      await age(1, 6_000);
      expect(matched(await service.retry(2)).userIds).toEqual([2, 1]);
    });

    it('is matched again by the time of the user who has waited longer', async () => {
      const service = replica('r1', { REMATCH_RELAX_AFTER_S: 10 });
      await together(service);
      await service.join(2, 'male', 'female');
      await age(2, 11_000);
      await service.join(1, 'male', 'both');
      expect(matched(await service.join(2, 'male', 'both')).userIds).toEqual([2, 1]);
    });

    it('is not matched again while a new user is compatible, however long it has waited', async () => {
      const service = replica('r1', { REMATCH_RELAX_AFTER_S: 10 });
      await together(service);
      await service.join(1, 'male', 'both');
      await service.join(3, 'male', 'both', [1]);
      await age(1, 60_000);
      expect(matched(await service.join(2, 'male', 'both')).userIds).toEqual([2, 3]);
    });

    it('is never matched despite a block', async () => {
      const service = replica('r1', { REMATCH_RELAX_AFTER_S: 0 });
      await together(service);
      await service.join(1, 'male', 'both');
      await age(1, 60_000);
      expect(await service.join(2, 'male', 'both', [1])).toMatchObject({ retryInMs: null });
    });

    it('is never matched after a block of one of the two, until it is lifted', async () => {
      const service = replica('r1', { REMATCH_RELAX_AFTER_S: 0 });
      await together(service);
      expect(await service.separate(2, 1)).toBeNull();
      await service.join(1, 'male', 'both');
      await age(1, 60_000);
      expect(await service.join(2, 'male', 'both')).toMatchObject({ kind: 'searching', retryInMs: null });
      expect(await redis().pttl(matchingKeys.coolDown(1, 2))).toBeGreaterThan(3_599_000);
      await service.allowAgain(1, 2);
      expect(matched(await service.retry(1)).userIds).toEqual([1, 2]);
    });

    it('keeps its cool-down when a block is lifted that Redis no longer knows', async () => {
      const service = replica('r1');
      await together(service);
      await service.allowAgain(1, 2);
      expect(await redis().get(matchingKeys.coolDown(1, 2))).toBe('1');
    });

    it('stays apart when the chat ends after the block', async () => {
      const service = replica('r1');
      await service.join(1, 'male', 'both');
      const match = matched(await service.join(2, 'male', 'both'));
      await service.confirm(match);
      expect(await service.separate(1, 2)).toBe(match.sessionId);
      await service.finish(match);
      expect(await redis().get(matchingKeys.coolDown(1, 2))).toBe('x');
    });

    it('is matched at once when both settings are 0', async () => {
      const service = replica('r1', { REMATCH_COOLDOWN_S: 0, REMATCH_RELAX_AFTER_S: 0 });
      await together(service);
      await together(service);
    });
  });

  describe('a claim', () => {
    const claimed = async (): Promise<Match> => {
      await replica('r1').join(1, 'male', 'both');
      await age(1, 5_000);
      await replica('r1').join(2, 'female', 'female');
      await age(2, 3_000);
      return matched(await replica('r2').join(2, 'female', 'both'));
    };
    const runOut = async (): Promise<void> => {
      for (const member of await redis().zrange('{matching}:claims', '0', '-1'))
        await redis().zadd('{matching}:claims', '1', member);
    };

    it('is not overdue before its deadline', async () => {
      await claimed();
      expect(await replica('r1').takeOverdueClaims()).toEqual([]);
    });

    it('returns both users to their old places when it expires', async () => {
      const before = new Map<number, number>();
      const match = await claimed();
      for (const userId of [1, 2])
        before.set(userId, Number(await redis().hget(matchingKeys.user(userId), 'since')));
      await runOut();
      expect(await replica('r1').takeOverdueClaims()).toEqual([match]);
      expect(await replica('r1').release(match)).toEqual([2, 1]);
      const waiting = await queued();
      for (const userId of [1, 2]) {
        expect(waiting.get(userId)).toEqual([expect.objectContaining({ since: before.get(userId) })]);
      }
      expect(await replica('r1').takeOverdueClaims()).toEqual([]);
      expect(await redis().hget(matchingKeys.user(1), 'session')).toBeNull();
    });

    it('is released once, whichever replica is first', async () => {
      const match = await claimed();
      const released = await Promise.all(['r1', 'r2', 'r1'].map((id) => replica(id).release(match)));
      expect(released.flat().sort()).toEqual([1, 2]);
    });

    it('is not confirmed after it was released, and does not affect the next claim', async () => {
      const match = await claimed();
      await replica('r1').release(match);
      const next = matched(await replica('r1').retry(1));
      expect(await replica('r2').confirm(match)).toBeNull();
      expect(await replica('r2').release(match)).toEqual([]);
      await replica('r2').finish(match);
      expect(await stateOf(1, 2)).toEqual(['claimed', 'claimed']);
      expect(await replica('r1').confirm(next)).toEqual([]);
    });

    it('can be confirmed twice with the same result', async () => {
      const match = await claimed();
      expect(await replica('r1').confirm(match)).toEqual([]);
      expect(await replica('r2').confirm(match)).toEqual([]);
      await runOut();
      expect(await replica('r1').takeOverdueClaims()).toEqual([]);
    });

    it('is returned as overdue again only after there was time to settle it', async () => {
      const match = await claimed();
      await runOut();
      expect(await replica('r1').takeOverdueClaims()).toEqual([match]);
      expect(await replica('r2').takeOverdueClaims()).toEqual([]);
      await runOut();
      expect(await replica('r2').takeOverdueClaims()).toEqual([match]);
    });

    it('is returned for a check when its chat has been on record for long, until the chat is finished', async () => {
      const match = await claimed();
      await replica('r1').confirm(match);
      expect(await replica('r1').takeChatsDueForCheck()).toEqual([]);
      for (const chat of await redis().zrange(matchingKeys.chats, '0', '-1'))
        await redis().zadd(matchingKeys.chats, '1', chat);
      expect(await replica('r1').takeChatsDueForCheck()).toEqual([match]);
      expect(await replica('r1').takeChatsDueForCheck()).toEqual([]);
      await replica('r2').finish({ ...match, userIds: [match.userIds[1], match.userIds[0]] });
      expect(await redis().zcard(matchingKeys.chats)).toBe(0);
    });

    it('reports a user who left when the chat starts', async () => {
      const match = await claimed();
      expect(await replica('r2').leave(1)).toMatchObject({ kind: 'claimed', sessionId: match.sessionId });
      expect(await replica('r1').confirm(match)).toEqual([1]);
      expect(await replica('r2').leave(1)).toMatchObject({ kind: 'chatting', sessionId: match.sessionId });
    });

    it('does not report a user who left and joined again', async () => {
      const match = await claimed();
      await replica('r2').leave(1);
      expect(await replica('r2').join(1, 'male', 'both')).toMatchObject({ kind: 'claimed' });
      expect(await replica('r1').confirm(match)).toEqual([]);
    });

    it('is not confirmed after a block, and returns both users to their old places', async () => {
      const match = await claimed();
      expect(await replica('r1').separate(1, 2)).toBeNull();
      expect(await replica('r2').confirm(match)).toBeNull();
      expect(await replica('r2').release(match)).toEqual([2, 1]);
      expect(await replica('r2').retry(1)).toMatchObject({ kind: 'searching' });
      await replica('r2').join(3, 'male', 'both');
      expect(await stateOf(1, 2, 3)).toEqual(['claimed', 'searching', 'claimed']);
    });

    it('removes a user who left meanwhile when it expires', async () => {
      const match = await claimed();
      await replica('r2').leave(1);
      expect(await replica('r1').release(match)).toEqual([2]);
      expect(await stateOf(1, 2)).toEqual([undefined, 'searching']);
    });

    it('outlives the sockets of its users, who are parked when it is released', async () => {
      const match = await claimed();
      await replica('r1').depart(1);
      await replica('r2').depart(1);
      await replica('r1').release(match);
      expect(await replica('r1').retry(1)).toEqual({ kind: 'idle' });
      expect(await redis().pttl(matchingKeys.user(1))).toBeGreaterThan(0);
      expect([...(await queued()).keys()]).toEqual([2]);
    });
  });

  describe('leaving the queue', () => {
    it('removes the user once', async () => {
      await replica('r1').join(1, 'male', 'both');
      expect(await replica('r2').leave(1)).toEqual({ kind: 'left' });
      expect(await replica('r1').leave(1)).toEqual({ kind: 'idle' });
      expect(await store.keys('{matching}:[qu]*')).toEqual([]);
    });

    it('does not result from the late end of an earlier chat', async () => {
      await replica('r1').join(1, 'male', 'both');
      const old = matched(await replica('r1').join(2, 'male', 'both'));
      await replica('r1').confirm(old);
      await replica('r1').finish(old);
      await replica('r1').join(1, 'male', 'both');
      await replica('r2').finish(old);
      expect(await stateOf(1)).toEqual(['searching']);
    });
  });

  it.each([
    { relaxS: 600, what: 'while cool-downs hold' },
    { relaxS: 0, what: 'while cool-downs are ignored at once' },
  ])(
    'keeps every user in one place and leaves no matchable pair waiting $what, in any order of operations',
    async ({ relaxS }) => {
      const seen = new Map<string, number>();
      const client = connectRedis(store.url, { enableOfflineQueue: true, commandTimeout: 5_000 });
      try {
        await fc.assert(
          fc.asyncProperty(anyCrowd, anySteps, async (crowd, steps) => {
            await store.flush();
            const model = new MatchQueueModel(client, crowd, relaxS);
            await model.start();
            for (const step of steps) await model.take(step);
            for (const [what, times] of model.seen) seen.set(what, (seen.get(what) ?? 0) + times);
          }),
          {
            seed: Number(process.env.THAW_TEST_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_120)),
            numRuns: isLong ? 1_500 : 40,
          },
        );
        // A property whose steps have no effect would prove nothing.
        for (const what of ['matched', 'waits', 'confirm', 'release', 'skip', 'kill', 'block', 'unblock']) {
          expect(seen.get(what)).toBeGreaterThan(15);
        }
        for (const what of ['block while claimed', 'block while chatting'])
          expect(seen.get(what)).toBeGreaterThan(3);
        if (relaxS === 0) expect(seen.get('matched again')).toBeGreaterThan(3);
      } finally {
        client.disconnect();
      }
    },
    isLong ? 1_800_000 : 60_000,
  );
});
