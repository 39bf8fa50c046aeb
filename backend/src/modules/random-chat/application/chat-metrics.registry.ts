import { Injectable } from '@nestjs/common';
import { DurationHistogram } from '../../../platform/observability/duration.model';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';

/**
 * - `resumed`: the client received the events that it had missed
 * - `reset`: Redis had lost events that the client had seen, so the client received the chat from the start
 * - `ended`: the chat was over
 * - `refused`: the client had requested more pages of events than its rate limit allows
 */
export type ResumeOutcome = 'resumed' | 'reset' | 'ended' | 'refused';
/** Outcome for a chat whose latest entries Redis had lost: the entries were restored, or the chat was ended. */
export type TailOutcome = 'restored' | 'ended';

/** Counts what happens to the chats of this replica. */
@Injectable()
export class ChatMetricsRegistry {
  private readonly fanoutLag = new DurationHistogram();
  private readonly resumes: Record<ResumeOutcome, number> = { resumed: 0, reset: 0, ended: 0, refused: 0 };
  private readonly tailOutcomes: Record<TailOutcome, number> = { restored: 0, ended: 0 };
  private conflictCount = 0;

  constructor(metrics: MetricsRegistry) {
    metrics.addLiveDurations(
      'thaw_fanout_lag_seconds',
      'Time from appending an event of a chat to writing its frame, by the clock of Redis (precision: 1 ms)',
      () => [[{}, this.fanoutLag]],
    );
    metrics.addLiveCounter(
      'thaw_hot_log_conflicts_total',
      'Appends to a chat that were decided again because another writer was first',
      () => this.conflictCount,
    );
    metrics.addLiveLabelledCounter('thaw_chat_resumes_total', 'Chats of users who reconnected', () =>
      Object.entries(this.resumes).map(([outcome, count]) => [{ outcome }, count] as const),
    );
    metrics.addLiveLabelledCounter(
      'thaw_tail_restores_total',
      'Chats whose latest entries Redis had lost',
      () => Object.entries(this.tailOutcomes).map(([outcome, count]) => [{ outcome }, count] as const),
    );
  }

  recordFanout(lagMs: number): void {
    this.fanoutLag.observe(lagMs);
  }

  recordConflict(): void {
    this.conflictCount += 1;
  }

  recordResume(outcome: ResumeOutcome): void {
    this.resumes[outcome] += 1;
  }

  recordTailOutcome(outcome: TailOutcome): void {
    this.tailOutcomes[outcome] += 1;
  }
}
