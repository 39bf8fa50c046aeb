import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ModerationFigures } from '@thaw/contract/moderation-records';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { ModerationFiguresService } from './moderation-figures.service';

/** A scrape waits this long for PostgreSQL, and then omits these gauges. */
const READ_WITHIN_MS = 2_000;

/** Exposes the statistics on moderation as metrics of the workers. */
@Injectable()
export class ModerationMetricsService implements OnModuleInit {
  constructor(
    private readonly figures: ModerationFiguresService,
    private readonly metrics: MetricsRegistry,
  ) {}

  onModuleInit(): void {
    const read = (): Promise<ModerationFigures> => rejectAfterMs(this.figures.read(), READ_WITHIN_MS);
    this.metrics.addGauges<ModerationFigures>(
      {
        thaw_moderation_open_cases: {
          help: 'Cases that wait for a moderator',
          read: ({ openCases }) => openCases,
        },
        thaw_moderation_oldest_case_age_seconds: {
          help: 'Since when the longest waiting case waits',
          read: ({ oldestOpenCaseAgeS }) => oldestOpenCaseAgeS ?? 0,
        },
        thaw_reports_per_thousand_matches: {
          help: 'Reports of 30 days by matches',
          read: ({ reportsPer1000Matches }) => reportsPer1000Matches,
        },
        thaw_blocks_per_thousand_matches: {
          help: 'Blocks of 30 days by matches',
          read: ({ blocksPer1000Matches }) => blocksPer1000Matches,
        },
        thaw_care_users: {
          help: 'Users who meet only users in the same situation',
          read: ({ carePool }) => carePool,
        },
      },
      read,
    );
    this.metrics.addReadGauges(
      'thaw_moderation_decision_seconds',
      'Time from a case to its decision by a moderator, of 30 days',
      async () => {
        const { p50, p95 } = (await read()).timeToDecisionS;
        const quantiles = [['0.5', p50] as const, ['0.95', p95] as const];
        return quantiles.flatMap(([quantile, value]) => (value === null ? [] : [[{ quantile }, value]]));
      },
    );
    this.metrics.addReadGauges('thaw_moderation_reports', 'Reports of 30 days', async () =>
      Object.entries((await read()).reportsByCategory).map(([category, count]) => [{ category }, count]),
    );
    this.metrics.addReadGauges('thaw_moderation_decisions', 'Decisions of 30 days', async () =>
      (await read()).decisions.map(({ outcome, by, count }) => [{ outcome, by }, count]),
    );
    this.metrics.addReadGauges(
      'thaw_moderation_appeals',
      'Decided appeals of 30 days, by the moderator whose decision was appealed',
      async () => (await read()).appeals.map(({ moderatorId, decided }) => [toLabels(moderatorId), decided]),
    );
    this.metrics.addReadGauges(
      'thaw_moderation_reversed_appeals_ratio',
      'Share of these appeals that reversed the decision',
      async () =>
        (await read()).appeals.map(({ moderatorId, decided, reversed }) => [
          toLabels(moderatorId),
          reversed / decided,
        ]),
    );
  }
}

const toLabels = (moderatorId: number): { moderator: string } => ({ moderator: String(moderatorId) });

const rejectAfterMs = async <Result>(result: Promise<Result>, ms: number): Promise<Result> => {
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
