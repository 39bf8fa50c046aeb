import { matchingKeys } from '../platform/redis/redis.keys';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { RedisScript } from '../platform/redis/redis-script.model';
import type { MatchQueueCrowd, ModelUser } from './match-queue-crowd.model';

/** In Redis, the empty string stands for the pool `common`. */
const toPoolName = (pool: ModelUser['pool']): string => (pool === 'care' ? 'care' : '');

const toQueueKey = ({
  gender,
  preference,
  pool,
}: Pick<ModelUser, 'gender' | 'preference' | 'pool'>): string =>
  matchingKeys.queue(gender, preference, toPoolName(pool));

const queueKeys = (['common', 'care'] as const).flatMap((pool) =>
  (['male', 'female'] as const).flatMap((gender) =>
    (['both', 'male', 'female'] as const).map((preference) => toQueueKey({ gender, preference, pool })),
  ),
);

type UserRecord = [
  fields: [state: string | null, since: string | null, sessionId: string | null, pool: string | null],
  expiresInMs: number,
];

/** Reads all queues and user records in one call, because every step reads them. KEYS: the queues, then the records. */
const readScript = new RedisScript<[queues: string[][], records: UserRecord[]]>(`
local queues, records = {}, {}
for i, key in ipairs(KEYS) do
  if i <= ${queueKeys.length} then
    queues[i] = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  else
    records[i - ${queueKeys.length}] = {
      redis.call('HMGET', key, 'state', 'since', 'session', 'pool'), redis.call('PTTL', key)}
  end
end
return {queues, records}
`);

/** What Redis contains about a user, or should contain according to the model. */
interface UserInRedis {
  state: string | null;
  pool: string | null;
  sessionId: string | null;
  since: number | null;
  /** The queues that contain the user. */
  entries: [queueKey: string, since: number][];
  /** Whether the record has an expiry. It has one while a searching user is in no queue. */
  isExpiring: boolean;
}

/**
 * Checks that Redis agrees with the model: each user is in one state and, while searching, in one queue. Adds to the
 * model the times of joining that only Redis knows.
 */
export const expectRedisToMatchModel = async (redis: RedisClient, crowd: MatchQueueCrowd): Promise<void> => {
  const keys = [...queueKeys, ...crowd.users.map(({ id }) => matchingKeys.user(id))];
  const [queues, records] = await readScript.run(redis, keys, []);
  const found = crowd.users.map(({ id }, index): UserInRedis => {
    const [fields = [], expiresInMs = -1] = records[index] ?? [];
    const [state = null, since = null, sessionId = null, pool = null] = fields;
    return {
      state,
      pool,
      sessionId,
      since: since === null ? null : Number(since),
      entries: queueKeys.flatMap((queueKey, queueIndex) =>
        findEntries(queueKey, queues[queueIndex] ?? [], id),
      ),
      isExpiring: expiresInMs > 0,
    };
  });
  for (const [index, user] of crowd.users.entries()) completeSince(user, found[index]);
  const expected = crowd.users.map((user, index) => computeExpected(user, crowd, found[index]));
  // The JSON is compared first, because `expect` is slow and there is hardly ever a difference.
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
};

/** The user's entries in one queue. @param members the members of the queue and their scores, alternately. */
const findEntries = (queueKey: string, members: readonly string[], id: number): [string, number][] =>
  members.flatMap((member, index): [string, number][] =>
    index % 2 === 0 && member === String(id) ? [[queueKey, Number(members[index + 1])]] : [],
  );

/** Completes the model, where `since` is 0 for a user who was matched at once: only Redis knows the time. */
const completeSince = (user: ModelUser, found: UserInRedis | undefined): void => {
  const isInMatch = user.state === 'claimed' || user.state === 'chatting';
  if (isInMatch && user.since === 0) user.since = found?.since ?? 0;
};

/** @param found shows whether a scan has already removed a user without a live replica from the queue */
const computeExpected = (
  user: ModelUser,
  crowd: MatchQueueCrowd,
  found: UserInRedis | undefined,
): UserInRedis => {
  if (user.state === 'nowhere')
    return { state: null, pool: null, sessionId: null, since: null, entries: [], isExpiring: false };
  // A user whose replicas are all dead may still be in the queue until a scan removes them.
  const isQueued = user.state === 'searching' && (crowd.isConnected(user) || found?.entries.length === 1);
  return {
    state: user.state,
    pool: toPoolName(user.pool),
    sessionId: user.match?.sessionId ?? null,
    since: user.since,
    entries: isQueued ? [[toQueueKey(user), user.since]] : [],
    isExpiring: user.state === 'searching' && !isQueued,
  };
};
