import type { Environment } from '../../config/environment.config';

export type LimitsProfile = Environment['LIMITS_PROFILE'];

/** Token bucket: holds at most `burst` tokens, and is refilled at a rate of `amount` tokens per `periodMs`. */
export interface Bucket {
  amount: number;
  periodMs: number;
  /** Default: `amount`. */
  burst?: number;
  /** Whether the limit is the same in all profiles, because it protects against abuse rather than load. */
  isFixed?: boolean;
}

interface ScaledBucket {
  /** Time in which one token is refilled. */
  intervalMs: number;
  /** Tokens in a full bucket. */
  burst: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Every rate limit of the replicas (docs/operations.md, "Rate limits"). Limits by user are tight. Limits by address are
 * wide, because all users of a school may share one address.
 */
export const buckets = {
  // Limits by network address.
  http: { amount: 600, periodMs: MINUTE },
  register: { amount: 60, periodMs: MINUTE },
  anonymous: { amount: 60, periodMs: MINUTE },
  convert_anonymous: { amount: 60, periodMs: MINUTE },
  login_failures_of_address: { amount: 60, periodMs: 15 * MINUTE },
  socket_handshakes: { amount: 300, periodMs: MINUTE },

  // Limits by account, or by known device: a browser in which the user has signed in before.
  login_failures_of_account: { amount: 5, periodMs: 15 * MINUTE, isFixed: true },
  login_failures_of_device: { amount: 30, periodMs: 15 * MINUTE, isFixed: true },
  password_confirmations: { amount: 10, periodMs: 15 * MINUTE, isFixed: true },

  // Limits by user.
  profile_reads: { amount: 120, periodMs: MINUTE },
  name_changes: { amount: 10, periodMs: HOUR, isFixed: true },
  friend_requests: { amount: 20, periodMs: DAY },
  blocks: { amount: 60, periodMs: HOUR },
  appeals: { amount: 5, periodMs: DAY, isFixed: true },
  reports: { amount: 10, periodMs: HOUR, isFixed: true },
  reports_of_day: { amount: 30, periodMs: DAY, isFixed: true },
  exports: { amount: 3, periodMs: DAY, isFixed: true },
  /** Counts the cases, and the images of cases, that a moderator reads. */
  evidence_reads: { amount: 300, periodMs: HOUR, isFixed: true },
  /** Each suggestion is a request to the language model, which the operator may pay for. */
  suggestions: { amount: 6, periodMs: MINUTE, isFixed: true },
  uploads: { amount: 20, periodMs: 10 * MINUTE },
  uploaded_bytes: { amount: 100 * 1024 * 1024, periodMs: DAY },
  socket_frames: { amount: 300, periodMs: MINUTE, burst: 100 },
  random_message: { amount: 2, periodMs: SECOND, burst: 10 },
  send_private_message: { amount: 2, periodMs: SECOND, burst: 20 },
  edits: { amount: 10, periodMs: MINUTE },
  reactions: { amount: 60, periodMs: MINUTE },
  /** Counts pages of resumed chats. A full chat has 100 pages: a user can resume six at once, then one per minute. */
  resumed_pages: { amount: 100, periodMs: MINUTE, burst: 600 },
  join_queue: { amount: 20, periodMs: MINUTE },
  skip: { amount: 20, periodMs: MINUTE },

  // Limits by random chat.
  break_ice_start: { amount: 6, periodMs: MINUTE },
} as const satisfies Record<string, Bucket>;

export type BucketName = keyof typeof buckets;
export const bucketNames = Object.keys(buckets) as BucketName[];

/** Factor by which a profile multiplies rates and bursts. The profile `load` is for load tests. */
const profileFactors: Record<LimitsProfile, number> = { strict: 0.5, default: 1, load: 1_000 };

/** Returns a bucket as the profile scales it. */
export const getBucket = (name: BucketName, profile: LimitsProfile): ScaledBucket => {
  const { amount, periodMs, burst = amount, isFixed = false }: Bucket = buckets[name];
  const factor = isFixed ? 1 : profileFactors[profile];
  return {
    intervalMs: periodMs / (amount * factor),
    // A bucket without a whole token would refuse everything.
    burst: Math.max(1, Math.floor(burst * factor)),
  };
};
