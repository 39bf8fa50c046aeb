import { getBucket, type LimitsProfile } from '../rate-limit/bucket.limits';
import { take as takeTokens } from '../rate-limit/gcra.functions';
import type { RateLimiterService } from '../rate-limit/rate-limiter.service';

// A visit lasts from the opening of the user's first socket on this replica to the closing of the last one.

/** During a visit, the bucket in Redis is charged after every `burst / CHARGE_DIVISOR` frames: 17 of a burst of 100. */
const CHARGE_DIVISOR = 6;
/**
 * The first charge of a visit comes after `burst / FIRST_CHARGE_DIVISOR` frames: two of a burst of 100. It is early, so
 * that changing replicas does not give a user another full burst.
 */
const FIRST_CHARGE_DIVISOR = 50;

/**
 * Charges the bucket that all replicas share.
 * @returns the user's debt: the milliseconds until the bucket is full again; undefined if Redis is unavailable.
 */
type Charge = (userId: number, frames: number) => Promise<number | undefined>;

/**
 * Rate limit of one user's frames, over all their sockets. Decides locally whether a frame is allowed. Every few frames
 * it charges the bucket that all replicas share. The reply contains the user's debt over all replicas, and from then on
 * the local bucket has at least this debt (docs/decisions/0030-frames-are-charged-in-arrears.md).
 */
export class UserFrameLimiter {
  private socketCount = 0;
  /** When the local bucket is full again (monotonic). */
  private fullAtMs = 0;
  /** Number of allowed frames that the shared bucket has not been charged for. */
  private uncharged = 0;
  private isCharging = false;
  /** Whether the shared bucket was charged since the last visit began. */
  private wasChargedInVisit = false;

  constructor(
    private readonly userId: number,
    /** `intervalMs`: time in which one token is refilled; `burst`: tokens in a full bucket. */
    private readonly bucket: { intervalMs: number; burst: number },
    private readonly charge: Charge,
  ) {}

  /** Whether the user is connected to this replica. */
  get hasSockets(): boolean {
    return this.socketCount > 0;
  }

  /** Counts a new socket of the user. The first one begins a visit. */
  addSocket(): void {
    if (!this.hasSockets) this.wasChargedInVisit = false;
    this.socketCount += 1;
  }

  /** Call this when a socket closes. The last one ends the visit and charges its last frames, unless they are few. */
  removeSocket(): void {
    this.socketCount -= 1;
    if (!this.hasSockets) this.chargeWhenDue();
  }

  /**
   * Takes the token of one frame.
   * @param nowMs monotonic time.
   * @returns 0 if the frame is allowed, else the milliseconds until a frame is allowed.
   */
  take(nowMs: number): number {
    const { allowed, retryAfterMs, fullAtMs } = takeTokens(this.fullAtMs, nowMs, 1, this.bucket);
    if (!allowed) return retryAfterMs;
    this.fullAtMs = fullAtMs;
    this.uncharged += 1;
    this.chargeWhenDue();
    return 0;
  }

  /** Returns the milliseconds until the local bucket is full again. @param nowMs monotonic time. */
  computeMsUntilFull(nowMs: number): number {
    return Math.max(0, this.fullAtMs - nowMs);
  }

  /**
   * Number of uncharged frames from which the shared bucket is charged. After the visit it is as low as for a first
   * charge, so that other replicas count the last frames.
   */
  private get chargeThreshold(): number {
    if (!this.hasSockets || !this.wasChargedInVisit) return this.bucket.burst / FIRST_CHARGE_DIVISOR;
    return this.bucket.burst / CHARGE_DIVISOR;
  }

  private chargeWhenDue(): void {
    if (this.isCharging || this.uncharged < this.chargeThreshold) return;
    const frames = this.uncharged;
    this.uncharged = 0;
    this.isCharging = true;
    this.wasChargedInVisit = true;
    void this.charge(this.userId, frames).then((debtMs) => {
      this.isCharging = false;
      if (debtMs === undefined) return;
      // Frames that were allowed during this charge are not part of the debt in Redis yet.
      const unchargedMs = this.uncharged * this.bucket.intervalMs;
      this.fullAtMs = Math.max(this.fullAtMs, performance.now() + debtMs + unchargedMs);
      this.chargeWhenDue();
    });
  }
}

/**
 * The frame limiters of users with sockets on this replica. After the last socket has closed, a limiter stays until its
 * bucket is full, so that reconnecting does not refill it.
 */
export class FrameRateLimiter {
  private readonly limitersByUser = new Map<number, UserFrameLimiter>();
  private readonly bucket: { intervalMs: number; burst: number };

  constructor(
    private readonly rateLimiter: Pick<RateLimiterService, 'charge'>,
    profile: LimitsProfile,
  ) {
    this.bucket = getBucket('socket_frames', profile);
  }

  /** Returns the user's limiter for a new socket. Call `release` when the socket closes. */
  acquire(userId: number): UserFrameLimiter {
    let userLimiter = this.limitersByUser.get(userId);
    if (!userLimiter) {
      userLimiter = new UserFrameLimiter(userId, this.bucket, (id, frames) =>
        this.rateLimiter.charge('socket_frames', id, frames),
      );
      this.limitersByUser.set(userId, userLimiter);
    }
    userLimiter.addSocket();
    return userLimiter;
  }

  /** Call this when a socket of the user closes for which `acquire` was called. */
  release(userId: number): void {
    const userLimiter = this.limitersByUser.get(userId);
    if (!userLimiter) return;
    userLimiter.removeSocket();
    if (!userLimiter.hasSockets) this.forgetWhenFull(userId, userLimiter);
  }

  /** Number of users with a limiter. */
  get size(): number {
    return this.limitersByUser.size;
  }

  private forgetWhenFull(userId: number, userLimiter: UserFrameLimiter): void {
    // Each visit that ended has a timer. An earlier one may have forgotten this limiter.
    const isForgotten = this.limitersByUser.get(userId) !== userLimiter;
    if (userLimiter.hasSockets || isForgotten) return;
    const msUntilFull = userLimiter.computeMsUntilFull(performance.now());
    if (msUntilFull <= 0) this.limitersByUser.delete(userId);
    else setTimeout(() => this.forgetWhenFull(userId, userLimiter), msUntilFull).unref();
  }
}
