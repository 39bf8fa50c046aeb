import type { LimitsProfile } from '../rate-limit/bucket.limits';

/** What a socket may do before it is closed. Source: design/security.md, Sockets. */
export const realtimeLimits = {
  fragments: 16,
  /** From an upgrade request to its answer. */
  handshakeTimeoutMs: 5_000,
  queuedFrames: 64,
  bufferedBytes: 1024 * 1024,
  pingEveryMs: 25_000,
  pongWithinMs: 10_000,
  /** How often sockets are looked at for the two above. */
  heartbeatMs: 5_000,
  /** A peer that does not answer our close frame is cut after this. */
  closeTimeoutMs: 3_000,
  familyCheckMs: 30_000,
  /** The logins of new sockets are checked once more, at most this often. */
  loginRecheckMs: 50,
  drainSpreadMs: 3_000,
} as const;

/** Frames refused for being too fast, in a row, before the socket is closed as flooding. */
export const FLOODING_AFTER_REFUSALS = 100;

/** Open sockets of one address over all replicas; a school is one address. */
export const socketsPerAddress: Record<LimitsProfile, number> = { strict: 50, default: 200, load: Infinity };
