/**
 * Every Redis key and channel of Thaw. What one script touches shares one hash tag, hence one slot of a cluster:
 * `{mm}` is matching with its leases, `{c<n>}` one of the cells of random chat, `{p<n>}` a share of all users' presence.
 */
export const CELL_COUNT = 64;
/** Lanes carry cells to the durable log, sixteen each. */
export const LANE_COUNT = 4;

/** The layout of everything below, as `redis-layout.ts` numbers it. */
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

export const cellOf = (sessionId: string): number => hash(sessionId) % CELL_COUNT;
export const laneOf = (cell: number): number => cell % LANE_COUNT;

export const userChannel = (userId: number): string => `user:{${userId}}`;
/** Sorted set: «replica id|socket id» by the time of opening, over all replicas. */
export const userSocketsKey = (userId: number): string => `sockets:{${userId}}`;
/** Set: «replica id|socket» of the sockets that an address has open, over all replicas. */
export const socketsOfAddressKey = (subject: string): string => `sockets-of:{${subject}}`;
export const probeChannel = (replicaId: string): string => `probe:${replicaId}`;

export const rateLimitKey = (bucket: string, subject: string | number): string =>
  `limit:${bucket}:{${subject}}`;

export const matchingKeys = {
  /** Prefix of everything below; scripts build their keys from it. */
  prefix: '{mm}:',
  /** Sorted set: replica id by the time (ms, of Redis) until which its lease lives. */
  leases: '{mm}:leases',
  /** Sorted set: session id by the time at which its claim runs out. */
  claims: '{mm}:claims',
  queue: (gender: string, preference: string): string => `{mm}:q:${gender}:${preference}`,
  user: (userId: number): string => `{mm}:user:${userId}`,
  /** There for some minutes after the two were in a chat together. */
  parted: (userId: number, otherId: number): string =>
    `{mm}:parted:${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`,
} as const;

export const chatKeys = (cell: number) => {
  const prefix = `{c${cell}}:`;
  return {
    prefix,
    stream: (sessionId: string): string => `${prefix}chat:${sessionId}`,
    /** What happens in chats of this cell that a replica has sockets in: «session id message». */
    channel: (replicaId: string): string => `${prefix}live:${replicaId}`,
    outbox: `${prefix}outbox`,
    /** Stream: entries of the outbox that PostgreSQL refuses for what is in them. */
    deadLetters: `${prefix}dead-letters`,
    /** Its name in earlier releases. */
    formerDeadLetters: `${prefix}poison`,
    /** Hash: socket id to «user id|replica id», of the sockets that are in the chat. */
    sockets: (sessionId: string): string => `${prefix}sockets:${sessionId}`,
    /** Set: «session id|socket id» that a replica has recorded in this cell. */
    ofReplica: (replicaId: string): string => `${prefix}replica:${replicaId}`,
    /** Sorted set: the replicas that have such a set, by the time at which somebody last came in through them. */
    entered: `${prefix}entered`,
    /** Sorted set: «session id|user id» by the time at which the chat ends without him. */
    deadlines: `${prefix}deadlines`,
  } as const;
};

/** All chats' streams, over all shards. */
export const chatStreams = {
  pattern: '{c*}:chat:*',
  sessionIdOf: (stream: string): string => stream.slice(stream.indexOf(':chat:') + ':chat:'.length),
} as const;

/** Users' presence lies in so many parts, by user id. */
export const PRESENCE_PARTS = 16;
export const presencePartOf = (userId: number): number => userId % PRESENCE_PARTS;

export const presenceKeys = (part: number) => {
  const prefix = `{p${part}}:`;
  return {
    /** Prefix of everything below, of `user:<id>` (set of the replicas that hold his sockets), and of
     * `replica:<id>` (set of the users whose sockets it holds). */
    prefix,
    /** Sorted set: the replicas that have such a set, by the time at which somebody last came in through them. */
    entered: `${prefix}entered`,
    /** Set of the users who are online for others; they stay in it for a moment after their last socket. */
    online: `${prefix}online`,
    /** Sorted set: users without a socket by the time at which they go offline. */
    leaving: `${prefix}leaving`,
  } as const;
};
