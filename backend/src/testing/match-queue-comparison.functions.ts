import { matchingKeys } from '../platform/redis/redis.keys';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { RedisScript } from '../platform/redis/redis-script.model';
import type { MatchQueueCrowd, ModelUser } from './match-queue-crowd.model';

// A model-based test executes random steps in the match queue and in a model of it, and compares both after each step.
// The model does not know everything, so two things are taken from Redis: when a user joined who was matched at once,
// and whether a scan has already removed a user without live replicas from the queue.

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

/** The members of a queue and their scores, alternately. */
type Queue = readonly string[];

/** A user's record. `expiresInMs` is negative if the record does not exist or has no expiry. */
type UserRecord = [
  fields: [state: string | null, since: string | null, sessionId: string | null, pool: string | null],
  expiresInMs: number,
];

/** Reads all queues and user records in one call, because every step reads them. KEYS: the queues, then the records. */
const readScript = new RedisScript<[queues: Queue[], records: UserRecord[]]>(`
local queues, records = {}, {}
for i = 1, ${queueKeys.length} do
  queues[i] = redis.call('ZRANGE', KEYS[i], 0, -1, 'WITHSCORES')
end
for i = ${queueKeys.length + 1}, #KEYS do
  local fields = redis.call('HMGET', KEYS[i], 'state', 'since', 'session', 'pool')
  table.insert(records, {fields, redis.call('PTTL', KEYS[i])})
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
 * Checks that Redis agrees with the model: each user is in one state and, while searching, in one queue. Before a user
 * is checked, the model gets their time of joining, if only Redis knows it.
 */
export const expectRedisToMatchModel = async (redis: RedisClient, crowd: MatchQueueCrowd): Promise<void> => {
  const keys = [...queueKeys, ...crowd.users.map(({ id }) => matchingKeys.user(id))];
  const [queues, records] = await readScript.run(redis, keys, []);
  const found: UserInRedis[] = [];
  const expected: UserInRedis[] = [];
  for (const [index, user] of crowd.users.entries()) {
    const foundUser = toUserInRedis(user.id, queues, records[index]!);
    completeSince(user, foundUser);
    found.push(foundUser);
    expected.push(computeExpected(user, crowd, foundUser));
  }
  // The JSON is compared first, because `expect` is slow and there is hardly ever a difference.
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
};

const toUserInRedis = (id: number, queues: readonly Queue[], record: UserRecord): UserInRedis => {
  const [[state, since, sessionId, pool], expiresInMs] = record;
  return {
    state,
    pool,
    sessionId,
    since: since === null ? null : Number(since),
    entries: queueKeys.flatMap((queueKey, index) => findEntries(queueKey, queues[index]!, id)),
    isExpiring: expiresInMs > 0,
  };
};

const findEntries = (queueKey: string, queue: Queue, id: number): UserInRedis['entries'] => {
  const entries: UserInRedis['entries'] = [];
  for (let index = 0; index < queue.length; index += 2) {
    if (queue[index] === String(id)) entries.push([queueKey, Number(queue[index + 1])]);
  }
  return entries;
};

/**
 * Copies `since` from Redis if the model does not know it yet. The result of a join contains the time only if the user
 * has to wait, so it is missing for a user who was matched at once.
 */
const completeSince = (user: ModelUser, found: UserInRedis): void => {
  const isInMatch = user.state === 'claimed' || user.state === 'chatting';
  if (isInMatch && user.since === 0) user.since = found.since ?? 0;
};

const computeExpected = (user: ModelUser, crowd: MatchQueueCrowd, found: UserInRedis): UserInRedis => {
  if (user.state === 'nowhere')
    return { state: null, pool: null, sessionId: null, since: null, entries: [], isExpiring: false };
  // A user whose replicas are all dead stays in the queue until a scan removes them. The model does not know when that
  // happens, so for such a user both queued and not queued are right.
  const mayBeQueued = crowd.isConnected(user) || found.entries.length === 1;
  const isQueued = user.state === 'searching' && mayBeQueued;
  return {
    state: user.state,
    pool: toPoolName(user.pool),
    sessionId: user.match?.sessionId ?? null,
    since: user.since,
    entries: isQueued ? [[toQueueKey(user), user.since]] : [],
    isExpiring: user.state === 'searching' && !isQueued,
  };
};
