/** Every job of Thaw, by name. Start-up fails when one has no handler, or two. */
export const jobNames = ['persist_lane', 'expire_bodies', 'sweep_streams', 'sweep_uploads'] as const;

export type JobName = (typeof jobNames)[number];

/** What each job carries. Ids only: nothing that a person wrote goes into a job. */
export interface JobData {
  persist_lane: { lane: number };
  expire_bodies: Record<string, never>;
  sweep_streams: Record<string, never>;
  sweep_uploads: Record<string, never>;
}

/** Jobs of earlier releases that nothing needs any more: their schedules are removed, what is left of them is dropped. */
export const formerJobNames = ['watch_outboxes'] as const;

export const QUEUE_NAME = 'thaw';
