import { matchingKeys } from '../platform/redis/redis.keys';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { RedisScript } from '../platform/redis/redis-script.model';
import type { MatchQueueCrowd, ModelUser } from './match-queue-crowd.model';

const toQueueKey = ({
  gender,
  preference,
  pool,
}: Pick<ModelUser, 'gender' | 'preference' | 'pool'>): string =>
  matchingKeys.queue(gender, preference, pool === 'care' ? 'care' : '');

const queues = (['common', 'care'] as const).flatMap((pool) =>
  (['male', 'female'] as const).flatMap((gender) =>
    (['both', 'male', 'female'] as const).map((preference) => toQueueKey({ gender, preference, pool })),
  ),
);

type FoundRecord = [
  fields: [state: string | null, since: string | null, session: string | null, pool: string | null],
  expiresInMs: number,
];

/** Reads everything with one call. KEYS: the queues, then the records of users. */
const readScript = new RedisScript<[queues: string[][], records: FoundRecord[]]>(`
local queues, records = {}, {}
for i, key in ipairs(KEYS) do
  if i <= ${queues.length} then queues[i] = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  else records[i - ${queues.length}] = {
    redis.call('HMGET', key, 'state', 'since', 'session', 'pool'), redis.call('PTTL', key)} end
end
return {queues, records}
`);

/** Where a user is, in Redis or by the model. */
interface Whereabouts {
  state: string | null;
  pool: string | null;
  session: string | null;
  since: number | null;
  entries: [queue: string, since: number][];
  /** Whether the record expires, as it does while no replica holds a socket of the user. */
  isExpiring: boolean;
}

/** Checks that Redis agrees with the model: each user is in one state and, while searching, in one queue. */
export const expectSameInRedis = async (redis: RedisClient, crowd: MatchQueueCrowd): Promise<void> => {
  const keys = [...queues, ...crowd.users.map(({ id }) => matchingKeys.user(id))];
  const [entries, records] = await readScript.run(redis, keys, []);
  const found = crowd.users.map(({ id }, index): Whereabouts => {
    const [fields = [], expiresInMs = -1] = records[index] ?? [];
    const [state = null, since = null, session = null, pool = null] = fields;
    return {
      state,
      pool,
      session,
      since: since === null ? null : Number(since),
      entries: queues.flatMap((queue, queueIndex) => findEntries(entries[queueIndex] ?? [], queue, id)),
      isExpiring: expiresInMs > 0,
    };
  });
  const expected = crowd.users.map((user, index) => computeExpectedWhereabouts(user, crowd, found[index]));
  // Compared as text first: `expect` takes longer than everything before it, and hardly ever finds a difference.
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
};

/** The user's entries in one queue. @param members its members and their scores, alternately. */
const findEntries = (members: readonly string[], queue: string, id: number): [string, number][] =>
  members.flatMap((member, index): [string, number][] =>
    index % 2 === 0 && member === String(id) ? [[queue, Number(members[index + 1])]] : [],
  );

const computeExpectedWhereabouts = (
  user: ModelUser,
  crowd: MatchQueueCrowd,
  found: Whereabouts | undefined,
): Whereabouts => {
  if (user.place === 'nowhere')
    return { state: null, pool: null, session: null, since: null, entries: [], isExpiring: false };
  if (user.place !== 'searching' && user.since === 0) user.since = found?.since ?? 0;
  // A user whose replicas are all dead may still be in the queue until a scan removes them.
  const isQueued = user.place === 'searching' && (crowd.isHeld(user) || found?.entries.length === 1);
  return {
    state: user.place,
    pool: user.pool === 'care' ? 'care' : '',
    session: user.match?.sessionId ?? null,
    since: user.since,
    entries: isQueued ? [[toQueueKey(user), user.since]] : [],
    isExpiring: user.place === 'searching' && !isQueued,
  };
};
