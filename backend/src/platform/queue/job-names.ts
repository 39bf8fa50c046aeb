/** Every job of Thaw, by name. Start-up fails when one has no handler, or two. */
export const jobNames = ['persist_lane', 'watch_outboxes', 'expire_bodies', 'sweep_uploads'] as const;

export type JobName = (typeof jobNames)[number];

/** What each job carries. Ids only: nothing that a person wrote goes into a job. */
export interface JobData {
  persist_lane: { lane: number };
  watch_outboxes: Record<string, never>;
  expire_bodies: Record<string, never>;
  sweep_uploads: Record<string, never>;
}

export const QUEUE_NAME = 'thaw';
