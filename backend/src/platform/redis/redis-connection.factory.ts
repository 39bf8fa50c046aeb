// Only this file opens connections to Redis and depends on the form of REDIS_URL: one server, Sentinel or cluster.
import { Cluster, Command, Redis, type RedisCommander, type RedisOptions } from 'ioredis';
import type { Environment } from '../../config/environment.config';
import { parseRedisAddress, type RedisAddress } from '../../config/redis-address.parser';
import { replaceCommandTimeout } from './command-timeout.functions';
import { SteadySentinelConnector } from './sentinel-connector.adapter';

replaceCommandTimeout();

export type RedisSettings = Pick<Environment, 'REDIS_URL'> &
  Partial<Pick<Environment, 'REDIS_SENTINEL_PASSWORD'>>;

type Commands = RedisCommander<{ type: 'default'; mapping: 'resp2' }>;

/**
 * Commands that a cluster does not support, or that would reach only one of its nodes. `redis-nodes.functions.ts` has
 * replacements that work with all kinds of servers.
 */
type SingleNodeCommands =
  | 'multi'
  | 'scan'
  | 'keys'
  | 'flushdb'
  | 'flushall'
  | 'script'
  | 'bgrewriteaof'
  | 'info'
  | 'subscribe'
  | 'ssubscribe'
  | 'publish';

/** A connection to Redis: to a single server, to a primary behind Sentinel, or to a cluster. */
export interface RedisClient extends Omit<Commands, SingleNodeCommands> {
  readonly status: string;
  sendCommand(command: Command): unknown;
  defineCommand(name: string, definition: { lua: string; numberOfKeys: number }): void;
  disconnect(): void;
}

export type ConnectionOptions = Pick<
  RedisOptions,
  | 'autoResendUnfulfilledCommands'
  | 'autoResubscribe'
  | 'commandTimeout'
  | 'connectTimeout'
  | 'enableOfflineQueue'
  | 'maxRetriesPerRequest'
> & { retryStrategy?: (attempt: number) => number | null };

/**
 * Delay in ms before an attempt to reconnect to Redis: longer each time, up to a second.
 * @param attempt number of the attempt, from 1.
 */
export const reconnectDelayMs = (attempt: number): number => Math.min(50 * attempt, 1_000);

const CONNECT_TIMEOUT_MS = 2_000;

/** Time within which a command of the request path must be answered: a user is waiting for it. */
export const COMMAND_TIMEOUT_MS = 500;

/** Time within which a command of BullMQ that adds a job must be answered. */
const ADD_JOB_TIMEOUT_MS = 2_000;

/** Options for commands of requests and frames (the request path): they fail fast and are never sent twice. */
const requestPathOptions: ConnectionOptions = {
  commandTimeout: COMMAND_TIMEOUT_MS,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: reconnectDelayMs,
};

/**
 * Opens a connection with the options of the request path, unless `options` replace them. After a loss, the connection
 * rejects the pending commands and reconnects.
 * @throws Error if REDIS_URL is not an address of Redis.
 */
export const connectRedis = (settings: RedisSettings, options: ConnectionOptions = {}): RedisClient =>
  connect(settings, { ...requestPathOptions, ...options });

/**
 * Opens a connection for BullMQ, which needs all commands of ioredis. A worker keeps waiting during an outage. A
 * producer adds jobs on the request path, so it fails fast.
 * @throws Error if REDIS_URL is not an address of Redis.
 */
export const connectQueue = (
  settings: RedisSettings,
  { isProducer }: { isProducer: boolean },
): Redis | Cluster =>
  connect(settings, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
    ...(isProducer
      ? { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: ADD_JOB_TIMEOUT_MS }
      : { maxRetriesPerRequest: null }), // null: no limit
  });

/** Maximum duration of a failover, with Sentinel or in a cluster with the default `cluster-node-timeout` of 15 s. */
const MAX_FAILOVER_MS = 30_000;

/** The longest time that a failover may take, in ms; 0 for a single server, which has no replica to fail over to. */
export const getMaxFailoverMs = ({ REDIS_URL }: RedisSettings): number =>
  parseRedisAddress(REDIS_URL)?.kind === 'server' ? 0 : MAX_FAILOVER_MS;

/** Finds the server on which a channel must be subscribed, and connects to it. */
export interface SubscriberRoutes {
  /**
   * Returns the name of the server that serves a channel: the only one, or a primary of the cluster. Undefined while no
   * server does.
   */
  findServer(channel: string): string | undefined;
  /** Opens a connection to the server of this name. After a loss it reconnects, and the caller subscribes again. */
  openConnection(server: string): Redis;
  /** Reads the slot map of the cluster again. Resolves even if that fails. */
  refresh(): Promise<void>;
}

/** The name of the server when there is only one. */
const ONLY_SERVER = '';

/** For subscriptions: `SubscriberConnection` subscribes again itself, and waits during an outage. */
const subscriberOptions: ConnectionOptions = {
  autoResubscribe: false,
  enableOfflineQueue: true,
  maxRetriesPerRequest: null,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: reconnectDelayMs,
};

/** @param redis a connection with the same settings. With a cluster, its slot map provides the routes. */
export const createSubscriberRoutes = (settings: RedisSettings, redis: RedisClient): SubscriberRoutes => {
  if (!(redis instanceof Cluster)) {
    return {
      findServer: () => ONLY_SERVER,
      openConnection: () => connect(settings, subscriberOptions) as Redis,
      refresh: () => Promise.resolve(),
    };
  }
  return {
    findServer: (channel) => redis.slots[findSlot(channel)]?.[0],
    openConnection: (server) => openNode(server, settings, subscriberOptions),
    refresh: () => new Promise((resolve) => redis.refreshSlotsCache(() => resolve())),
  };
};

/** Finds the hash slot of a channel. ioredis computes slots only for commands, so this is a GET that is never sent. */
const findSlot = (channel: string): number => new Command('get', [channel]).getSlot() ?? 0;

/**
 * Waits until the first attempt to connect has succeeded or failed; with a cluster, also to each of its primaries. A
 * process can thus start while Redis is down.
 */
export const waitForFirstConnectionAttempt = async (redis: RedisClient): Promise<void> => {
  await waitUntilOpenOrClosed(redis as unknown as Redis);
  // Listed only now, because the nodes of a cluster are not known before it is open.
  const clusterPrimaries = redis instanceof Cluster ? redis.nodes('master') : [];
  await Promise.all(clusterPrimaries.map(waitUntilOpenOrClosed));
};

const waitUntilOpenOrClosed = (connection: Pick<Redis, 'status' | 'once' | 'off'>): Promise<void> =>
  new Promise((resolve) => {
    if (connection.status === 'ready' || connection.status === 'end') return resolve();
    const settle = () => {
      connection.off('ready', settle);
      connection.off('close', settle);
      resolve();
    };
    connection.once('ready', settle);
    connection.once('close', settle);
  });

const connect = (settings: RedisSettings, options: ConnectionOptions): Redis | Cluster => {
  const address = parseRedisAddress(settings.REDIS_URL);
  if (!address) throw new Error('REDIS_URL is not an address of Redis');
  const connection = openByKind(address, settings, options);
  ignoreErrorEvents(connection);
  if (connection instanceof Redis) batchWrites(connection);
  return connection;
};

/** Without a listener, an `error` event would end the process. Callers learn about failures from their commands. */
const ignoreErrorEvents = (connection: Redis | Cluster): void => {
  connection.on('error', () => undefined);
};

/**
 * Sends all commands of one event-loop iteration in one system call. A system call costs more CPU than building a
 * command, and a busy process sends many commands per iteration (docs/decisions/0079-commands-share-a-write.md).
 */
const batchWrites = (redis: Redis): void => {
  // Each connection and reconnection has a new stream.
  redis.on('connect', () => {
    const { stream } = redis;
    const write: (chunk: string | Buffer) => boolean = stream.write.bind(stream);
    stream.write = (chunk: string | Buffer): boolean => {
      if (stream.writableCorked === 0) {
        stream.cork();
        setImmediate(() => stream.uncork());
      }
      return write(chunk);
    };
  });
};

/** How long to wait for the reply of a Sentinel before the next one is asked. */
const SENTINEL_COMMAND_TIMEOUT_MS = 1_000;

const openByKind = (
  address: RedisAddress,
  { REDIS_SENTINEL_PASSWORD: sentinelPassword }: RedisSettings,
  options: ConnectionOptions,
): Redis | Cluster => {
  switch (address.kind) {
    case 'server':
      return new Redis(address.url, options);
    case 'sentinel': {
      const { nodes, primaryName } = address;
      return new Redis({
        ...options,
        sentinels: [...nodes],
        name: primaryName,
        ...getCredentials(address),
        ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
        Connector: SteadySentinelConnector, // works around a defect of ioredis
        sentinelCommandTimeout: SENTINEL_COMMAND_TIMEOUT_MS,
        sentinelRetryStrategy: options.retryStrategy ?? reconnectDelayMs,
        // Both options make the client leave a primary that Sentinel has replaced, even if its connections stay open.
        failoverDetector: true, // when Sentinel announces the new primary
        // When the old primary, which is a replica now, refuses a write.
        reconnectOnError: (error) => error.message.startsWith('READONLY'),
      });
    }
    case 'cluster':
      return openCluster(address, options);
  }
};

type ClusterAddress = Extract<RedisAddress, { kind: 'cluster' }>;

const getCredentials = ({ username, password }: Pick<ClusterAddress, 'username' | 'password'>) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

/** @param server `host:port`, as in the slot map of the cluster. */
const openNode = (server: string, settings: RedisSettings, options: ConnectionOptions): Redis => {
  const address = parseRedisAddress(settings.REDIS_URL);
  if (address?.kind !== 'cluster') throw new Error('REDIS_URL is not the address of a cluster');
  const portIndex = server.lastIndexOf(':');
  const node = new Redis({
    ...options,
    ...getCredentials(address),
    ...(address.hasTls ? { tls: {} } : {}),
    host: server.slice(0, portIndex),
    port: Number(server.slice(portIndex + 1)),
  });
  ignoreErrorEvents(node);
  return node;
};

/** Delay before a command is repeated because its slot is being moved to another node. */
const RETRY_DURING_MOVE_MS = 50;

const openCluster = (
  { nodes, hasTls, ...address }: ClusterAddress,
  { enableOfflineQueue = true, retryStrategy, ...redisOptions }: ConnectionOptions,
): Cluster => {
  const isOnRequestPath = !enableOfflineQueue; // all other connections have this queue
  const cluster = new Cluster([...nodes], {
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    // A command whose connection was lost may have been executed, so the request path never sends it again: a delay of
    // 0 disables the repetition.
    ...(isOnRequestPath ? { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 } : {}),
    retryDelayOnTryAgain: RETRY_DURING_MOVE_MS,
    slotsRefreshTimeout: redisOptions.connectTimeout ?? CONNECT_TIMEOUT_MS,
    // Connects by host name: the certificate of a node is issued for its name, not for its address.
    ...(hasTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    redisOptions: {
      ...redisOptions,
      ...getCredentials(address),
      ...(hasTls ? { tls: {} } : {}),
    },
  });
  separateSlots(cluster);
  connectEagerly(cluster);
  refreshAfterLoss(cluster);
  return cluster;
};

/**
 * Gives each slot its own array of nodes. In ioredis the slots of a range share one array, so that the move of one slot
 * would change the node of all of them.
 */
const separateSlots = (cluster: Cluster): void => {
  cluster.on('refresh', () => {
    cluster.slots = cluster.slots.map((nodesOfSlot) => [...nodesOfSlot]);
  });
};

/**
 * Connects to each node as soon as it is known. ioredis would connect with the first command, and refuse others until
 * the connection is open.
 */
const connectEagerly = (cluster: Cluster): void => {
  cluster.on('+node', (node: Redis) => {
    batchWrites(node);
    void node.connect().catch(() => undefined);
  });
};

/** Delay before the slot map is read again after the loss of a node. Further losses in this time need no other read. */
const REFRESH_AFTER_LOSS_MS = 250;

const refreshAfterLoss = (cluster: Cluster): void => {
  let refreshTimer: NodeJS.Timeout | undefined;
  cluster.on('-node', () => {
    refreshTimer ??= setTimeout(() => {
      refreshTimer = undefined;
      if (cluster.status === 'ready') cluster.refreshSlotsCache();
    }, REFRESH_AFTER_LOSS_MS).unref();
  });
};
