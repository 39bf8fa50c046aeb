import { Injectable } from '@nestjs/common';
import { DurationHistogram } from '../../../platform/observability/duration.model';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';

/**
 * `resumed`: the client received the events that it had missed. `reset`: Redis has lost events that the client had
 * seen, so the client received the chat from the start. `ended`: the chat was over. `refused`: the rate limit on pages
 * of events was exceeded.
 */
export type ResumeOutcome = 'resumed' | 'reset' | 'ended' | 'refused';
/** Outcome for a chat whose latest entries Redis had lost: the entries were restored, or the chat was ended. */
export type TailOutcome = 'restored' | 'ended';

/** Counts what happens to the chats of this replica. */
@Injectable()
export class ChatMetricsRegistry {
  private readonly fanoutLag = new DurationHistogram();
  private readonly resumes = new Map<ResumeOutcome, number>([
    ['resumed', 0],
    ['reset', 0],
    ['ended', 0],
    ['refused', 0],
  ]);
  private readonly tailOutcomes = new Map<TailOutcome, number>([
    ['restored', 0],
    ['ended', 0],
  ]);
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
      [...this.resumes].map(([outcome, count]) => [{ outcome }, count] as const),
    );
    metrics.addLiveLabelledCounter(
      'thaw_tail_restores_total',
      'Chats whose latest entries Redis had lost',
      () => [...this.tailOutcomes].map(([outcome, count]) => [{ outcome }, count] as const),
    );
  }

  recordFanout(lagMs: number): void {
    this.fanoutLag.observe(lagMs);
  }

  recordConflict(): void {
    this.conflictCount += 1;
  }

  recordResume(outcome: ResumeOutcome): void {
    this.resumes.set(outcome, (this.resumes.get(outcome) ?? 0) + 1);
  }

  recordTailOutcome(outcome: TailOutcome): void {
    this.tailOutcomes.set(outcome, (this.tailOutcomes.get(outcome) ?? 0) + 1);
  }
}
