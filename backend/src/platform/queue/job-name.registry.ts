/** The names of all jobs. Start-up fails unless each job has exactly one handler. */
export const jobNames = [
  'persist_lane',
  'expire_bodies',
  'sweep_streams',
  'sweep_uploads',
  'conduct_time_limits',
  'watch_findings',
  'expire_devices',
  'erase_person',
  'resume_erasures',
  'expire_anonymous',
] as const;

export type JobName = (typeof jobNames)[number];

/** Data of each job. Jobs contain ids only, never user input. */
export interface JobData {
  /** Copies the events of one shard group, a quarter of the random chats, to PostgreSQL. `lane`: the group's number. */
  // eslint-disable-next-line plain-words/identifiers -- the stored name (docs/stored-names.md)
  persist_lane: { lane: number };
  /** Erases personal data that has expired, such as the bodies of messages. */
  expire_bodies: Record<string, never>;
  /** Restores what a crash of Redis has lost: the expiry of ended chats' streams, and the deadlines of absent users. */
  sweep_streams: Record<string, never>;
  /** Removes unused images. */
  sweep_uploads: Record<string, never>;
  /** Applies the time limits of sanctions and of flags (flagged users are matched only with one another). */
  conduct_time_limits: Record<string, never>;
  /** Reports to moderation the stated ages under 18 that a replica has found but could not report. */
  watch_findings: Record<string, never>;
  /** Deletes devices unused for 180 days, and expired hashes by which new accounts of banned users are recognised. */
  expire_devices: Record<string, never>;
  /** Runs one erasure of a user. */
  erase_person: { erasureId: string };
  /** Continues erasures that are not finished. */
  resume_erasures: Record<string, never>;
  /** Requests the erasure of anonymous users who have become inactive. */
  expire_anonymous: Record<string, never>;
}

/** Obsolete jobs of earlier releases. Their schedules are removed, and jobs that are still in the queue are dropped. */
export const formerJobNames = ['watch_outboxes'] as const;

/** Name of the BullMQ queue that contains all jobs. */
export const QUEUE_NAME = 'thaw';
