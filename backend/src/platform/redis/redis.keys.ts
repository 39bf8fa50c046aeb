/**
 * Every Redis key and channel of Thaw. A hash tag is the part of a key in braces: in a Redis Cluster, keys with the
 * same tag are in the same slot. All keys of one script share a hash tag, and a script publishes only to channels with
 * that tag. Keys that are not used together have separate tags.
 *
 * - `{matching}`: the match queue and the leases of the replicas
 * - `{shard<n>}`: a shard, which is a fixed group of random chats
 * - `{presence<n>}`: the presence of a fixed group of users
 * - `{jobs}`: BullMQ
 */

/** Names two users in a key, regardless of their order. */
const buildPair = (userId: number, otherId: number): string =>
  `${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`;

/** Number of shards of the random chats. */
export const SHARD_COUNT = 64;
/** Number of shard groups. One worker at a time copies the events of a group's shards to PostgreSQL. */
export const SHARD_GROUP_COUNT = 4;

/** Holds the version of the keys and values in Redis, see `redis-layout.functions.ts`. */
export const layoutKey = 'layout';
/** Exists while an operator drains Redis before a release with another layout. No process of Thaw starts meanwhile. */
export const drainingKey = 'draining';

/** Prefix of BullMQ's keys. */
export const jobsPrefix = '{jobs}';

/** The 32-bit FNV-1a hash. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

/**
 * Builds the id of a new chat: the number of its shard, a dot and `unique`. The number keeps a chat in its shard when a
 * later release has more shards.
 * @param unique a text that no other chat has.
 */
export const buildSessionId = (unique: string): string => `${hash(unique) % SHARD_COUNT}.${unique}`;

/**
 * Finds the shard of a chat: the number before the dot of its id. A text without such a number is hashed: the id may be
 * of an earlier release, or an invalid one that a client has sent.
 */
export const findShard = (sessionId: string): number => {
  const dotIndex = sessionId.indexOf('.');
  // The number of a shard has one or two digits.
  if (dotIndex === 1 || dotIndex === 2) {
    const shard = Number(sessionId.slice(0, dotIndex));
    if (shard >= 0 && shard < SHARD_COUNT) return shard;
  }
  return hash(sessionId) % SHARD_COUNT;
};

export const findShardGroup = (shard: number): number => shard % SHARD_GROUP_COUNT;

/** Finds the hash tag of a key, with its braces. The slot of a key without one depends on the whole key. */
const findHashTag = (key: string): string => {
  const start = key.indexOf('{');
  return start === -1 ? `{${key}}` : key.slice(start, key.indexOf('}', start) + 1);
};

/**
 * Builds a key that never exists, in the slot of the given keys. Because of it, Redis refuses a script while the slot
 * is being moved, and the client retries (docs/decisions/0074-scripts-wait-while-their-slot-moves.md).
 * @param keys the keys of a script, which share a slot.
 */
export const buildAbsentKey = (keys: readonly string[]): string => `${findHashTag(keys[0] ?? '')}:absent`;

/** Lock of the worker that copies the events of the shard group. */
export const shardGroupLockKey = (group: number): string => `shard-group:{${group}}:lock`;

/** Carries messages for the sockets of one user. */
export const userChannel = (userId: number): string => `user:{${userId}}`;
/** Set: `<replica id>|<socket>` for each open socket, on any replica, of an IPv4 address or IPv6 network. */
export const socketsOfAddressKey = (address: string): string => `sockets-of:{${address}}`;
/** A channel on which a replica checks that it receives its own publications. */
export const probeChannel = (replicaId: string): string => `probe:${replicaId}`;

/** State of a rate limit for a subject, such as a user id or the address of a client. */
export const rateLimitKey = (bucket: string, subject: string | number): string =>
  `limit:${bucket}:{${subject}}`;

/** Exists until the export of a user's data is downloaded with the token of this hash, for ten minutes at most. */
export const exportTicketKey = (tokenHash: string): string => `export-ticket:{${tokenHash}}`;
/** Exists while an export of the user is running. */
export const exportLockKey = (userId: number): string => `export:{${userId}}`;

/** Exists while the read replica may still lack the latest change of a message between the two users. */
export const recentChangeKey = (userId: number, otherId: number): string =>
  `private-changed:{${buildPair(userId, otherId)}}`;

/**
 * Keys of the leases. An api replica counts as live until its lease expires. The keys share a slot with those of
 * matching, whose scripts only match users on live replicas.
 */
export const leaseKeys = {
  /** Sorted set: replica ids by the time at which their lease expires (ms, Redis clock). */
  live: '{matching}:leases',
  /**
   * Sorted set: the same replica ids in alphabetical order. The rank of a replica determines its share of the periodic
   * clean-up after dead replicas.
   */
  names: '{matching}:lease-names',
  /** Sorted set: ids of dead replicas, by the time at which their lease was found expired; kept for a minute. */
  expired: '{matching}:expired-leases',
  /** Number that increases whenever the set of live replicas changes. */
  epoch: '{matching}:lease-epoch',
} as const;

/**
 * Keys of a socket directory in one hash slot. It records the members of each topic (usually the sockets of a chat or a
 * user), each with its replica and a note, which is free text; see `socket-directory.scripts.ts`.
 */
export const directoryKeys = (prefix: string) => ({
  /** Hash: member to `<replica id>|<note>`. */
  sockets: (topic: string): string => `${prefix}sockets:${topic}`,
  /** Set: each `<topic>|<member>` that the replica has recorded in this slot. */
  replicaMembers: (replicaId: string): string => `${prefix}replica:${replicaId}`,
  /** Sorted set: ids of the replicas with recorded members, by the time at which they were last known to be alive. */
  replicas: `${prefix}replicas`,
});

export const matchingKeys = {
  /** Prefix of all keys of matching; scripts build their keys from it. */
  prefix: '{matching}:',
  /** Scripts of matching read which replicas are live. */
  leases: leaseKeys.live,
  /** A topic is a user who is searching or just matched; a member is a replica that holds sockets of the user. */
  ...directoryKeys('{matching}:'),
  /** Sorted set: session ids of claims (matches that are not confirmed yet) by the time at which the claim expires. */
  claims: '{matching}:claims',
  /** Sorted set: `<session id>|<user id>|<user id>` by the time of the next check whether the chat is over. */
  chats: '{matching}:chats',
  /**
   * Sorted set: the searching users of a pool by the time of joining. Only users of the same pool are matched.
   * @param pool name of the pool: `care` for users whom moderation has flagged, empty for all others.
   */
  queue: (gender: string, preference: string, pool = ''): string =>
    `{matching}:queue:${pool === '' ? '' : `${pool}:`}${gender}:${preference}`,
  /** Hash: the record of a user who is searching, matched or in a chat; see `match-record.scripts.ts`. */
  user: (userId: number): string => `{matching}:user:${userId}`,
  /**
   * Exists while two users must not be matched: `1` during the cool-down after a chat of the two, `x` for an hour after
   * one has blocked the other. When one of them has waited long, a cool-down is ignored, but not a block.
   */
  separation: (userId: number, otherId: number): string =>
    `{matching}:cool-down:${buildPair(userId, otherId)}`,
  /** Exists for ten minutes after a chat of the two users, in case the worker writes the chat to PostgreSQL late. */
  recentPartners: (userId: number, otherId: number): string =>
    `{matching}:recent-partners:${buildPair(userId, otherId)}`,
} as const;

/** Keys of the random chats in a shard. Scripts build their keys from `prefix`. */
export const chatKeys = (shard: number) => {
  const prefix = `{shard${shard}}:`;
  return {
    prefix,
    /** Stream: the events of one chat. */
    stream: (sessionId: string): string => `${prefix}chat:${sessionId}`,
    /** Channel: carries `<session id> <message>` for chats of this shard in which the replica has sockets. */
    channel: (replicaId: string): string => `${prefix}live:${replicaId}`,
    /** Stream: events that are not in PostgreSQL yet. */
    outbox: `${prefix}outbox`,
    /** Stream: outbox entries that PostgreSQL refuses because of their content. */
    deadLetters: `${prefix}dead-letters`,
    /** A topic is a chat; a member is a socket in it, with the note `<user id>|<1 if it shows the chat, else 0>`. */
    ...directoryKeys(prefix),
    /** Sorted set: `<session id>|<user id>` by the deadline at which the chat ends unless the user returns. */
    deadlines: `${prefix}deadlines`,
    /** Set: users who were present in the chat, are absent now, and may return; kept for an hour. */
    away: (sessionId: string): string => `${prefix}away:${sessionId}`,
  } as const;
};

/** The keys of the streams of all chats, in all shards: their pattern, and a parser for the session id. */
export const chatStreams = {
  pattern: '{shard*}:chat:*',
  parseSessionId: (stream: string): string => stream.slice(stream.indexOf(':chat:') + ':chat:'.length),
} as const;

/** Number of shards of presence: fixed groups of users, by their id. */
export const PRESENCE_SHARD_COUNT = 16;

export const findPresenceShard = (userId: number): number => userId % PRESENCE_SHARD_COUNT;

export const presenceKeys = (shard: number) => {
  const prefix = `{presence${shard}}:`;
  return {
    prefix,
    /** A topic is a user; a member is a socket, with the time at which it was opened (ms) as its note. */
    ...directoryKeys(prefix),
    /** Set: users who are shown as online, including a short grace period after their last socket closes. */
    online: `${prefix}online`,
    /** Sorted set: users without a socket, by the time at which they go offline. */
    leaving: `${prefix}leaving`,
  } as const;
};
