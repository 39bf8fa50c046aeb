import { Injectable } from '@nestjs/common';
import { DurationHistogram } from '../../../platform/observability/duration.model';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import { MatchQueueService, type MatchState } from './match-queue.service';

/** Measures the match queue and the matches of this replica's users. */
@Injectable()
export class MatchMetricsRegistry {
  private readonly timesToMatch = new DurationHistogram();
  private matchCount = 0;

  constructor(metrics: MetricsRegistry, queue: MatchQueueService) {
    metrics.addLiveLabelledGauge(
      'thaw_queue_waiting',
      'Searching users; each replica reports all of them',
      async () =>
        (await queue.countWaiting()).map(({ gender, preference, pool, count }) => [
          { gender, preference, pool },
          count,
        ]),
    );
    metrics.addLiveGauge(
      'thaw_queue_oldest_seconds',
      'How long the user who has searched longest has waited; 0 without one',
      async () => (await queue.readLongestWaitMs()) / 1_000,
    );
    metrics.addLiveDurations(
      'thaw_time_to_match_seconds',
      'How long users with a socket here had searched when they were matched',
      () => [[{}, this.timesToMatch]],
    );
    metrics.addLiveCounter('thaw_matches_total', 'Matches made by this replica', () => this.matchCount);
  }

  @OnProcessEvent('MatchMade')
  recordMatch(): void {
    this.matchCount += 1;
  }

  /**
   * Records how long a user had searched, if the new state ends the search.
   * @param kind the new state; `claimed` is a match by another call
   * @param since when the search started; null if its match has already been recorded, undefined if this replica
   * tracks no search of the user
   */
  recordSearchResult(kind: MatchState['kind'], since: Date | null | undefined): void {
    const isMatched = kind === 'matched' || kind === 'claimed';
    if (since && isMatched) this.timesToMatch.observe(Date.now() - since.getTime());
    // Without a running search, this call has matched the user at once: 0 s. A claim without one is not recorded: its
    // search has been recorded already, or is not tracked here.
    else if (kind === 'matched') this.timesToMatch.observe(0);
  }
}
