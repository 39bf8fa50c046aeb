// Uses a real Redis. The replicas r1 and r2 are not processes, only ids with a lease, by which they count as alive.
// Users have the ids 1, 2, 3 and so on.
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { requireMatch, TestMatchQueue } from '../../../testing/test-match-queue.harness';
import type { Match } from './match-queue.service';

/**
 * A claim is a match that is not confirmed yet: its chat is about to be created. `confirm` returns the users who have
 * left since the match, or null if the claim cannot be confirmed. For a matched user, `leave` returns the state of the
 * match.
 */
describe('a claim', () => {
  let queue: TestMatchQueue;

  beforeAll(async () => {
    queue = await TestMatchQueue.create();
  });
  beforeEach(async () => {
    await queue.store.flush();
    await queue.grantLeases('r1', 'r2');
  });
  afterAll(() => queue.store.close());

  /**
   * User 1 waits longer than user 2. User 2 at first accepts only women, so they do not match. User 2 then joins again
   * and accepts everyone, which matches the two.
   */
  const claimUsers = async (): Promise<Match> => {
    await queue.serviceOf('r1').join(1, 'male', 'both');
    await queue.prolongWait(1, 5_000);
    await queue.serviceOf('r1').join(2, 'female', 'female');
    await queue.prolongWait(2, 3_000);
    return requireMatch(await queue.serviceOf('r2').join(2, 'female', 'both'));
  };

  const readRecordField = (userId: number, field: string): Promise<string | null> =>
    queue.store.redis.hget(matchingKeys.user(userId), field);

  it('is not overdue before its deadline', async () => {
    await claimUsers();
    expect(await queue.serviceOf('r1').takeOverdueClaims()).toEqual([]);
  });

  it('is overdue when it has expired, unless it is released', async () => {
    const match = await claimUsers();
    await queue.expireClaims();
    expect(await queue.serviceOf('r1').takeOverdueClaims()).toEqual([match]);
    await queue.serviceOf('r1').release(match);
    await queue.expireClaims();
    expect(await queue.serviceOf('r1').takeOverdueClaims()).toEqual([]);
  });

  it('returns both users to their old places in the queue when it is released', async () => {
    const match = await claimUsers();
    const since = { 1: await readRecordField(1, 'since'), 2: await readRecordField(2, 'since') };
    // In the order of the match: first user 2, whose join made the match, then user 1, who had waited.
    expect(await queue.serviceOf('r1').release(match)).toEqual([2, 1]);
    const waiting = await queue.readQueues();
    expect(waiting.get(1)).toEqual([expect.objectContaining({ since: Number(since[1]) })]);
    expect(waiting.get(2)).toEqual([expect.objectContaining({ since: Number(since[2]) })]);
    expect(await readRecordField(1, 'session')).toBeNull();
  });

  it('is released once, whichever replica is first', async () => {
    const match = await claimUsers();
    const released = await Promise.all(
      ['r1', 'r2', 'r1'].map((replicaId) => queue.serviceOf(replicaId).release(match)),
    );
    expect(released.flat().sort()).toEqual([1, 2]);
  });

  it('has no effect once it is released, not even on the next claim of the same users', async () => {
    const match = await claimUsers();
    await queue.serviceOf('r1').release(match);
    const nextMatch = requireMatch(await queue.serviceOf('r1').retry(1));
    expect(await queue.serviceOf('r2').confirm(match)).toBeNull();
    expect(await queue.serviceOf('r2').release(match)).toEqual([]);
    await queue.serviceOf('r2').finish(match);
    expect(await queue.readStates(1, 2)).toEqual(['claimed', 'claimed']);
    expect(await queue.serviceOf('r1').confirm(nextMatch)).toEqual([]);
  });

  it('can be confirmed twice with the same result, and is not overdue afterwards', async () => {
    const match = await claimUsers();
    expect(await queue.serviceOf('r1').confirm(match)).toEqual([]);
    expect(await queue.serviceOf('r2').confirm(match)).toEqual([]);
    await queue.expireClaims();
    expect(await queue.serviceOf('r1').takeOverdueClaims()).toEqual([]);
  });

  it('is taken as overdue by one replica, and by another only after a second deadline', async () => {
    const match = await claimUsers();
    await queue.expireClaims();
    expect(await queue.serviceOf('r1').takeOverdueClaims()).toEqual([match]);
    expect(await queue.serviceOf('r2').takeOverdueClaims()).toEqual([]);
    await queue.expireClaims();
    expect(await queue.serviceOf('r2').takeOverdueClaims()).toEqual([match]);
  });

  it('becomes a chat that is due for a check at intervals until the chat is finished', async () => {
    const match = await claimUsers();
    await queue.serviceOf('r1').confirm(match);
    expect(await queue.serviceOf('r1').takeChatsDueForCheck()).toEqual([]);
    await queue.makeChatChecksDue();
    expect(await queue.serviceOf('r1').takeChatsDueForCheck()).toEqual([match]);
    expect(await queue.serviceOf('r1').takeChatsDueForCheck()).toEqual([]);
    // `finish` accepts the two users in any order.
    await queue.serviceOf('r2').finish({ ...match, userIds: [match.userIds[1], match.userIds[0]] });
    expect(await queue.store.redis.zcard(matchingKeys.chats)).toBe(0);
  });

  it('reports on confirmation a user who has left since the match', async () => {
    const match = await claimUsers();
    expect(await queue.serviceOf('r2').leave(1)).toMatchObject({
      kind: 'claimed',
      sessionId: match.sessionId,
    });
    expect(await queue.serviceOf('r1').confirm(match)).toEqual([1]);
    expect(await queue.serviceOf('r2').leave(1)).toMatchObject({
      kind: 'chatting',
      sessionId: match.sessionId,
    });
  });

  it('does not report on confirmation a user who has left and joined again', async () => {
    const match = await claimUsers();
    await queue.serviceOf('r2').leave(1);
    expect(await queue.serviceOf('r2').join(1, 'male', 'both')).toMatchObject({ kind: 'claimed' });
    expect(await queue.serviceOf('r1').confirm(match)).toEqual([]);
  });

  it('is not confirmed after a block, and its release returns both users to their old places', async () => {
    const match = await claimUsers();
    // `separate` applies a block. It returns null since the two are not in a chat yet.
    expect(await queue.serviceOf('r1').separate(1, 2)).toBeNull();
    expect(await queue.serviceOf('r2').confirm(match)).toBeNull();
    expect(await queue.serviceOf('r2').release(match)).toEqual([2, 1]);
    expect(await queue.serviceOf('r2').retry(1)).toMatchObject({ kind: 'searching' });
    // User 3 is compatible with both, and is matched with user 1, who has kept the longer wait.
    await queue.serviceOf('r2').join(3, 'male', 'both');
    expect(await queue.readStates(1, 2, 3)).toEqual(['claimed', 'searching', 'claimed']);
  });

  it('does not put a user who has left back into the queue when it is released', async () => {
    const match = await claimUsers();
    await queue.serviceOf('r2').leave(1);
    expect(await queue.serviceOf('r1').release(match)).toEqual([2]);
    expect(await queue.readStates(1, 2)).toEqual([undefined, 'searching']);
  });

  it('remains when a user loses their last socket, and parks that user when it is released', async () => {
    const match = await claimUsers();
    // The user's last socket on each replica has closed.
    await queue.serviceOf('r1').depart(1);
    await queue.serviceOf('r2').depart(1);
    expect(await queue.readStates(1)).toEqual(['claimed']);
    await queue.serviceOf('r1').release(match);
    // A replica that releases a claim retries both searches.
    expect(await queue.serviceOf('r1').retry(1)).toEqual({ kind: 'idle' });
    // Parked: still searching, but not in a queue, and forgotten after a while without a socket.
    expect(await queue.store.redis.pttl(matchingKeys.user(1))).toBeGreaterThan(0);
    expect([...(await queue.readQueues()).keys()]).toEqual([2]);
  });
});
