import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ModerationFigures } from '@thaw/contract/moderation-records';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { ModerationFiguresService } from './moderation-figures.service';

/** A scrape waits this long for PostgreSQL, and then omits the gauges of this service. */
const READ_TIMEOUT_MS = 2_000;

/** Exposes the statistics on moderation as metrics of the workers. */
@Injectable()
export class ModerationMetricsService implements OnModuleInit {
  constructor(
    private readonly figures: ModerationFiguresService,
    private readonly metrics: MetricsRegistry,
  ) {}

  onModuleInit(): void {
    // The gauges without labels share one reading. The others read again, from the cache of `ModerationFiguresService`.
    const read = (): Promise<ModerationFigures> => withTimeout(this.figures.read(), READ_TIMEOUT_MS);
    this.metrics.addLiveGaugesFromOneReading<ModerationFigures>(
      {
        thaw_moderation_open_cases: {
          help: 'Cases that wait for a moderator',
          read: ({ openCases }) => openCases,
        },
        thaw_moderation_oldest_case_age_seconds: {
          help: 'Seconds for which the longest waiting case has been waiting',
          read: ({ oldestOpenCaseAgeS }) => oldestOpenCaseAgeS ?? 0, // null when no case waits
        },
        thaw_reports_per_thousand_matches: {
          help: 'Reports per 1,000 matches in the last 30 days',
          read: ({ reportsPer1000Matches }) => reportsPer1000Matches,
        },
        thaw_blocks_per_thousand_matches: {
          help: 'Blocks per 1,000 matches in the last 30 days',
          read: ({ blocksPer1000Matches }) => blocksPer1000Matches,
        },
        thaw_care_users: {
          help: 'Users whose standing is `care` (flagged), who are matched only with each other',
          read: ({ carePool }) => carePool,
        },
      },
      read,
    );
    this.metrics.addLiveLabelledGauge(
      'thaw_moderation_decision_seconds',
      'Time from opening a case to its decision by a moderator, in the last 30 days',
      async () => {
        const { p50, p95 } = (await read()).timeToDecisionS;
        const values: [labels: { quantile: string }, value: number][] = [];
        if (p50 !== null) values.push([{ quantile: '0.5' }, p50]);
        if (p95 !== null) values.push([{ quantile: '0.95' }, p95]);
        return values;
      },
    );
    this.metrics.addLiveLabelledGauge(
      'thaw_moderation_reports',
      'Reports in the last 30 days, by category',
      async () =>
        Object.entries((await read()).reportsByCategory).map(([category, count]) => [{ category }, count]),
    );
    this.metrics.addLiveLabelledGauge(
      'thaw_moderation_decisions',
      'Decisions in the last 30 days',
      async () => (await read()).decisions.map(({ outcome, by, count }) => [{ outcome, by }, count]),
    );
    this.metrics.addLiveLabelledGauge(
      'thaw_moderation_appeals',
      'Appeals decided in the last 30 days, by the moderator whose decision was appealed',
      async () => (await read()).appeals.map(({ moderatorId, decided }) => [toLabels(moderatorId), decided]),
    );
    this.metrics.addLiveLabelledGauge(
      'thaw_moderation_reversed_appeals_ratio',
      'Share of the appeals in thaw_moderation_appeals that reversed the decision',
      async () =>
        (await read()).appeals.map(({ moderatorId, decided, reversed }) => [
          toLabels(moderatorId),
          reversed / decided, // `decided` is at least 1: moderators without decided appeals have no entry
        ]),
    );
  }
}

const toLabels = (moderatorId: number): { moderator: string } => ({ moderator: String(moderatorId) });

/** Rejects if the result takes longer than `ms`. */
const withTimeout = async <Result>(result: Promise<Result>, ms: number): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No figures within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
