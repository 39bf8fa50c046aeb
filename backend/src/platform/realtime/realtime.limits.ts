import type { LimitsProfile } from '../rate-limit/bucket.limits';

/** Limits and intervals of sockets. */
export const realtimeLimits = {
  /** Maximum number of fragments of one message. Browsers send each message as one fragment. */
  maxFragments: 16,
  /** Maximum time from an upgrade request to its response. */
  handshakeTimeoutMs: 5_000,
  /** Maximum number of received frames that wait to be handled; a socket that exceeds it is closed for flooding. */
  maxQueuedFrames: 64,
  /** Maximum number of bytes that wait to be sent; a client that exceeds it reads too slowly and is disconnected. */
  maxBufferedBytes: 1024 * 1024,
  /** A socket that has been silent this long is pinged: often enough for proxies that close idle connections. */
  pingEveryMs: 25_000,
  /** A peer that does not answer a ping within this time is disconnected. */
  pongWithinMs: 10_000,
  /** How often sockets are checked for silence and for missing pongs. */
  heartbeatCheckMs: 5_000,
  /** A peer that does not answer the close frame within this time is disconnected. */
  closeTimeoutMs: 3_000,
  /** How often the logins of all open sockets are checked. */
  loginCheckMs: 30_000,
  /** Minimum interval between the batches in which the logins of newly opened sockets are checked again. */
  loginRecheckIntervalMs: 50,
  /** Time over which the closing of all sockets is spread before a shutdown. */
  drainSpreadMs: 3_000,
} as const;

/** Consecutive frames refused by the rate limit after which the socket is closed for flooding. */
export const FLOODING_AFTER_REFUSALS = 100;

/** Maximum number of open sockets of one address, over all replicas. All users of a school may share one address. */
export const socketsPerAddress: Record<LimitsProfile, number> = { strict: 50, default: 200, load: Infinity };
