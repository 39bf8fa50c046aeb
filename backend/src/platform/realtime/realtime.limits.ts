import type { LimitsProfile } from '../rate-limit/bucket.limits';

/** Limits and intervals of sockets. Source: design/security.md, Sockets. */
export const realtimeLimits = {
  fragments: 16,
  /** From an upgrade request to its response. */
  handshakeTimeoutMs: 5_000,
  queuedFrames: 64,
  bufferedBytes: 1024 * 1024,
  pingEveryMs: 25_000,
  pongWithinMs: 10_000,
  /** How often sockets are checked for the two above. */
  heartbeatMs: 5_000,
  /** A peer that does not answer the close frame is disconnected after this. */
  closeTimeoutMs: 3_000,
  familyCheckMs: 30_000,
  /** Minimum interval between the batched checks of new sockets' logins. */
  loginRecheckMs: 50,
  drainSpreadMs: 3_000,
} as const;

/** Consecutive frames refused by the rate limit after which the socket is closed for flooding. */
export const FLOODING_AFTER_REFUSALS = 100;

/** Maximum number of open sockets of one address, over all replicas. A school may be one address. */
export const socketsPerAddress: Record<LimitsProfile, number> = { strict: 50, default: 200, load: Infinity };
