/**
 * Every Redis key and channel of Thaw. What one script touches shares one hash tag, hence one slot of a cluster:
 * `{matching}` is the match queue with the leases, `{shard<n>}` a shard of the random chats, `{presence<n>}` a shard of the
 * users' presence.
 */
export const SHARD_COUNT = 64;
/** A shard group is what one worker carries to the durable log at a time: sixteen shards each. */
export const SHARD_GROUP_COUNT = 4;

/** The layout of everything below, as `redis-layout.functions.ts` numbers it. */
export const layoutKey = 'layout';
/** There while Redis is drained: no process of Thaw starts meanwhile. */
export const drainingKey = 'draining';

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

export const shardOf = (sessionId: string): number => hash(sessionId) % SHARD_COUNT;
export const shardGroupOf = (shard: number): number => shard % SHARD_GROUP_COUNT;

/** Held by the worker that carries the group. */
export const shardGroupLockKey = (group: number): string => `shard-group:{${group}}:lock`;

export const userChannel = (userId: number): string => `user:{${userId}}`;
/** Set: `replica id|socket` of the sockets that an address has open, over all replicas. */
export const socketsOfAddressKey = (subject: string): string => `sockets-of:{${subject}}`;
export const probeChannel = (replicaId: string): string => `probe:${replicaId}`;

export const rateLimitKey = (bucket: string, subject: string | number): string =>
  `limit:${bucket}:{${subject}}`;

/** Leases of replicas. They share the slot of matching, whose scripts match only users of live replicas. */
export const leaseKeys = {
  /** Sorted set: replica id by the time (ms, of Redis) at which its lease expires. */
  live: '{matching}:leases',
  /** Sorted set of the same replicas by name, for their ranks. */
  names: '{matching}:lease-names',
  /** Sorted set: replicas by the time at which their lease was found expired, for a minute. */
  expired: '{matching}:expired-leases',
  /** Changes whenever the set of live replicas does. */
  epoch: '{matching}:lease-epoch',
} as const;

/** Keys of a socket directory in one hash slot; what a topic, a member and a note are is said there. */
export const directoryKeys = (prefix: string) => ({
  /** Hash: member to `<replica id>|<note>`. */
  sockets: (topic: string): string => `${prefix}sockets:${topic}`,
  /** Set: `<topic>|<member>` that a replica has recorded in this slot. */
  ofReplica: (replicaId: string): string => `${prefix}replica:${replicaId}`,
  /** Sorted set: the replicas that have such a set, by the time of their last entry. */
  replicas: `${prefix}replicas`,
});

export const matchingKeys = {
  /** Prefix of everything below; scripts build their keys from it. */
  prefix: '{matching}:',
  leases: leaseKeys.live,
  /** The topic is a user who searches or is claimed, a member a replica that holds sockets of the user. */
  ...directoryKeys('{matching}:'),
  /** Sorted set: session id by the time at which its claim runs out. */
  claims: '{matching}:claims',
  /** Sorted set: `<session id>|<user id>|<user id>` of chats on record by the time at which they are looked after. */
  chats: '{matching}:chats',
  queue: (gender: string, preference: string): string => `{matching}:queue:${gender}:${preference}`,
  user: (userId: number): string => `{matching}:user:${userId}`,
  /** There for some minutes after the two were in a chat together. */
  recentPartners: (userId: number, otherId: number): string =>
    `{matching}:recent-partners:${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`,
} as const;

/** Pattern of the streams of all chats, for SCAN. */
export const allChatStreams = '{shard*}:chat:*';

export const chatKeys = (shard: number) => {
  const prefix = `{shard${shard}}:`;
  return {
    prefix,
    stream: (sessionId: string): string => `${prefix}chat:${sessionId}`,
    /** What happens in chats of this shard that a replica has sockets in: «session id message». */
    channel: (replicaId: string): string => `${prefix}live:${replicaId}`,
    outbox: `${prefix}outbox`,
    /** Stream: entries of the outbox that PostgreSQL refuses for what is in them. */
    deadLetters: `${prefix}dead-letters`,
    /** The topic is a chat, a member a socket in it, its note `<user id>|<1 if it shows the chat, else 0>`. */
    ...directoryKeys(prefix),
    /** Sorted set: `<session id>|<user id>` by the time at which the chat ends without that user. */
    deadlines: `${prefix}deadlines`,
    /** Set: users who were in the chat and have left, and are awaited; for an hour. */
    away: (sessionId: string): string => `${prefix}away:${sessionId}`,
  } as const;
};

/** All chats' streams, over all shards. */
export const chatStreams = {
  pattern: '{shard*}:chat:*',
  sessionIdOf: (stream: string): string => stream.slice(stream.indexOf(':chat:') + ':chat:'.length),
} as const;

/** Users' presence lies in so many parts, by user id. */
export const PRESENCE_SHARD_COUNT = 16;
export const presenceShardOf = (userId: number): number => userId % PRESENCE_SHARD_COUNT;

export const presenceKeys = (shard: number) => {
  const prefix = `{presence${shard}}:`;
  return {
    prefix,
    /** The topic is a user, a member a socket, its note the time (ms) at which it was opened. */
    ...directoryKeys(prefix),
    /** Set of the users who are online for others; they stay in it for a moment after their last socket. */
    online: `${prefix}online`,
    /** Sorted set: users without a socket by the time at which they go offline. */
    leaving: `${prefix}leaving`,
  } as const;
};
