/**
 * Every Redis key and channel of Thaw. All keys of one script share a hash tag, hence one slot of a cluster:
 * `{matching}` for the match queue and the leases, `{shard<n>}` for a shard of the random chats, `{presence<n>}` for a
 * shard of the users' presence, `{jobs}` for BullMQ. A script publishes only to channels with its own hash tag.
 */
export const SHARD_COUNT = 64;
/** A worker copies one shard group to the durable log at a time; each group has 16 shards. */
export const SHARD_GROUP_COUNT = 4;

/** Layout version of everything below, see `redis-layout.functions.ts`. */
export const layoutKey = 'layout';
/** Exists while Redis is being drained; no Thaw process starts meanwhile. */
export const drainingKey = 'draining';

/** Prefix of BullMQ's keys. */
export const jobsPrefix = '{jobs}';

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

/**
 * Returns the id of a new chat: its shard, a dot and the given unique text. A chat stays in its shard when a later
 * release has more shards.
 */
export const buildSessionId = (unique: string): string => `${hash(unique) % SHARD_COUNT}.${unique}`;

/** The shard that the id begins with. Ids of earlier releases, and any other text, are hashed. */
export const findShard = (sessionId: string): number => {
  const dot = sessionId.indexOf('.');
  if (dot === 1 || dot === 2) {
    const shard = Number(sessionId.slice(0, dot));
    if (shard >= 0 && shard < SHARD_COUNT) return shard;
  }
  return hash(sessionId) % SHARD_COUNT;
};
export const findShardGroup = (shard: number): number => shard % SHARD_GROUP_COUNT;

/** A key that never exists, in the hash slot of the given ones; declared with the keys of each script. */
export const buildAbsentKey = ([key = '']: readonly string[]): string => {
  const start = key.indexOf('{');
  return start === -1 ? `{${key}}:absent` : `${key.slice(start, key.indexOf('}', start) + 1)}:absent`;
};

/** Lock of the worker that copies the shard group. */
export const shardGroupLockKey = (group: number): string => `shard-group:{${group}}:lock`;

export const userChannel = (userId: number): string => `user:{${userId}}`;
/** Set of `<replica id>|<socket>`: an address's open sockets on all replicas. */
export const socketsOfAddressKey = (subject: string): string => `sockets-of:{${subject}}`;
export const probeChannel = (replicaId: string): string => `probe:${replicaId}`;

export const rateLimitKey = (bucket: string, subject: string | number): string =>
  `limit:${bucket}:{${subject}}`;

/** Exists until the export is downloaded; by the hash of its token. */
export const exportTicketKey = (tokenHash: string): string => `export-ticket:{${tokenHash}}`;
/** Exists while an export of the user is running. */
export const exportLockKey = (userId: number): string => `export:{${userId}}`;

/** Exists while a message that two users have changed may be missing from the read replica. */
export const recentChangeKey = (userId: number, otherId: number): string =>
  `private-changed:{${Math.min(userId, otherId)}-${Math.max(userId, otherId)}}`;

/** Leases of replicas. They share a slot with matching, whose scripts only match users on live replicas. */
export const leaseKeys = {
  /** Sorted set: replica ids by the time at which the lease expires (ms, Redis clock). */
  live: '{matching}:leases',
  /** Sorted set: the same replicas in order of name, for their ranks. */
  names: '{matching}:lease-names',
  /** Sorted set: replicas by the time at which their lease was found expired; kept for a minute. */
  expired: '{matching}:expired-leases',
  /** Changes whenever the set of live replicas changes. */
  epoch: '{matching}:lease-epoch',
} as const;

/** Keys of a socket directory in one hash slot; `socket-directory.scripts.ts` explains topic, member and note. */
export const directoryKeys = (prefix: string) => ({
  /** Hash: member to `<replica id>|<note>`. */
  sockets: (topic: string): string => `${prefix}sockets:${topic}`,
  /** Set: each `<topic>|<member>` that a replica has recorded in this slot. */
  ofReplica: (replicaId: string): string => `${prefix}replica:${replicaId}`,
  /** Sorted set: replicas that have such a set, by the time of their last entry. */
  replicas: `${prefix}replicas`,
});

export const matchingKeys = {
  /** Prefix of everything below; scripts build their keys from it. */
  prefix: '{matching}:',
  leases: leaseKeys.live,
  /** A topic is a user who is searching or claimed; a member is a replica that holds sockets of the user. */
  ...directoryKeys('{matching}:'),
  /** Sorted set: session ids by the time at which the claim expires. */
  claims: '{matching}:claims',
  /** Sorted set: `<session id>|<user id>|<user id>` of recorded chats by the time of their next check. */
  chats: '{matching}:chats',
  /** Sorted set: searching users of a pool by the time of joining. The pool of most users has no name. */
  queue: (gender: string, preference: string, pool = ''): string =>
    `{matching}:queue:${pool === '' ? '' : `${pool}:`}${gender}:${preference}`,
  user: (userId: number): string => `{matching}:user:${userId}`,
  /**
   * `1` while two users who were in a chat together are not matched again (A41); `x` for an hour after one has blocked
   * the other.
   */
  coolDown: (userId: number, otherId: number): string =>
    `{matching}:cool-down:${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`,
  /** Exists for some minutes after the two users were in a chat together. */
  recentPartners: (userId: number, otherId: number): string =>
    `{matching}:recent-partners:${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`,
} as const;

export const chatKeys = (shard: number) => {
  const prefix = `{shard${shard}}:`;
  return {
    prefix,
    stream: (sessionId: string): string => `${prefix}chat:${sessionId}`,
    /** Carries `<session id> <message>` for chats of this shard in which the replica has sockets. */
    channel: (replicaId: string): string => `${prefix}live:${replicaId}`,
    outbox: `${prefix}outbox`,
    /** Stream: outbox entries that PostgreSQL refuses because of their content. */
    deadLetters: `${prefix}dead-letters`,
    /** A topic is a chat; a member is a socket in it, with the note `<user id>|<1 if it shows the chat, else 0>`. */
    ...directoryKeys(prefix),
    /** Sorted set: `<session id>|<user id>` by the deadline at which the chat ends unless the user returns. */
    deadlines: `${prefix}deadlines`,
    /** Set: users who were in the chat, have left, and may still return; kept for an hour. */
    away: (sessionId: string): string => `${prefix}away:${sessionId}`,
  } as const;
};

/** The streams of all chats, in all shards. */
export const chatStreams = {
  pattern: '{shard*}:chat:*',
  parseSessionId: (stream: string): string => stream.slice(stream.indexOf(':chat:') + ':chat:'.length),
} as const;

/** Number of shards of the users' presence, by user id. */
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
