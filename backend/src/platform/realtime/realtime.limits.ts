import type { Environment } from '../../config/environment';

/** What a socket may do before it is closed. Source: security.md, «Sockets». */
export const realtimeLimits = {
  fragments: 16,
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

type Profile = Environment['LIMITS_PROFILE'];

export const frameBudgets: Record<Profile, { burst: number; perSecond: number }> = {
  strict: { burst: 50, perSecond: 3 },
  default: { burst: 100, perSecond: 5 },
  load: { burst: 5_000, perSecond: 2_000 },
};

/** Frames refused for being too fast, in a row, before the socket is closed as flooding. */
export const FLOODING_AFTER_REFUSALS = 100;

export const socketsPerAddress: Record<Profile, number> = { strict: 50, default: 200, load: 100_000 };
