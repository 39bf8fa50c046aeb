import { getBucket, type LimitsProfile } from '../rate-limit/bucket.limits';
import { take } from '../rate-limit/gcra.functions';
import type { RateLimiterService } from '../rate-limit/rate-limiter.service';

/** The user's bucket in Redis is charged whenever this replica has allowed a sixth of a burst. */
const CHARGES_PER_BURST = 6;
/** The first charge of a user comes earlier, after a fiftieth of a burst. */
const FIRST_CHARGE_OF_BURST = 50;

/** Charges the shared bucket. @returns the milliseconds until it is full again; undefined if Redis is unavailable. */
type Charge = (userId: number, frames: number) => Promise<number | undefined>;

/**
 * Rate limit of one user's frames, over all their sockets. Decides locally whether a frame is allowed. Every few frames
 * it charges the bucket that all replicas share, and takes over the user's debt on all replicas from the reply
 * (docs/decisions/0030-frames-are-charged-in-arrears.md).
 */
export class UserFrameLimiter {
  /** Number of the user's sockets on this replica. */
  socketCount = 0;
  private paidUntilMs = 0;
  /** Number of allowed frames that the shared bucket has not been charged for. */
  private uncharged = 0;
  private isCharging = false;
  private wasCharged = false;

  constructor(
    private readonly userId: number,
    private readonly bucket: { intervalMs: number; burst: number },
    private readonly charge: Charge,
  ) {}

  /** @param nowMs monotonic time. @returns 0 if the frame is allowed, else the milliseconds until one is. */
  take(nowMs: number): number {
    const { allowed, retryAfterMs, paidUntilMs } = take(this.paidUntilMs, nowMs, 1, this.bucket);
    if (!allowed) return retryAfterMs;
    this.paidUntilMs = paidUntilMs;
    this.uncharged += 1;
    this.chargeWhenDue();
    return 0;
  }

  /** Call this after the user's last socket on this replica has closed, so that other replicas see its frames. */
  settle(): void {
    this.wasCharged = false;
    this.chargeWhenDue();
  }

  /** Returns the milliseconds until the bucket is full again. */
  computeMsUntilFull(nowMs: number): number {
    return Math.max(0, this.paidUntilMs - nowMs);
  }

  /** The first charge is early, so that changing replicas does not give a user another full burst. */
  private chargeWhenDue(): void {
    const due = this.bucket.burst / (this.wasCharged ? CHARGES_PER_BURST : FIRST_CHARGE_OF_BURST);
    if (this.isCharging || this.uncharged < due) return;
    const frames = this.uncharged;
    this.uncharged = 0;
    this.isCharging = true;
    this.wasCharged = this.socketCount > 0;
    void this.charge(this.userId, frames).then((owedMs) => {
      this.isCharging = false;
      if (owedMs === undefined) return;
      const unchargedMs = this.uncharged * this.bucket.intervalMs;
      this.paidUntilMs = Math.max(this.paidUntilMs, performance.now() + owedMs + unchargedMs);
      this.chargeWhenDue();
    });
  }
}

/**
 * The frame limiters of users with sockets on this replica. After the last socket has closed, a limiter stays until its
 * bucket is full, so that reconnecting does not refill it.
 */
export class FrameRateLimiter {
  private readonly byUser = new Map<number, UserFrameLimiter>();
  private readonly bucket: { intervalMs: number; burst: number };

  constructor(
    private readonly limiter: Pick<RateLimiterService, 'charge'>,
    profile: LimitsProfile,
  ) {
    this.bucket = getBucket('socket_frames', profile);
  }

  /** Returns the user's limiter for a new socket. Call `release` when the socket closes. */
  acquire(userId: number): UserFrameLimiter {
    let userLimiter = this.byUser.get(userId);
    if (!userLimiter) {
      userLimiter = new UserFrameLimiter(userId, this.bucket, (id, frames) =>
        this.limiter.charge('socket_frames', id, frames),
      );
      this.byUser.set(userId, userLimiter);
    }
    userLimiter.socketCount += 1;
    return userLimiter;
  }

  release(userId: number): void {
    const userLimiter = this.byUser.get(userId);
    if (!userLimiter) return;
    userLimiter.socketCount -= 1;
    if (userLimiter.socketCount > 0) return;
    userLimiter.settle();
    this.forgetWhenFull(userId, userLimiter);
  }

  /** Number of users with a limiter. */
  get size(): number {
    return this.byUser.size;
  }

  private forgetWhenFull(userId: number, userLimiter: UserFrameLimiter): void {
    if (userLimiter.socketCount > 0 || this.byUser.get(userId) !== userLimiter) return;
    const msUntilFull = userLimiter.computeMsUntilFull(performance.now());
    if (msUntilFull <= 0) this.byUser.delete(userId);
    else setTimeout(() => this.forgetWhenFull(userId, userLimiter), msUntilFull).unref();
  }
}
