import { Injectable } from '@nestjs/common';
import type { ModerationFigures } from '@thaw/contract/moderation-records';
import { FiguresRepository, type FiguresRow } from '../infrastructure/figures.repository';

/** The query reads all rows of 30 days, and several scrapes and pages request the figures, so they are cached. */
const CACHED_FOR_MS = 60_000;

/** Statistics on moderation, at most a minute old. */
@Injectable()
export class ModerationFiguresService {
  private cached: { figures: Promise<ModerationFigures>; readAtMs: number } | undefined;

  constructor(private readonly repository: FiguresRepository) {}

  read(): Promise<ModerationFigures> {
    if (this.cached && Date.now() - this.cached.readAtMs < CACHED_FOR_MS) return this.cached.figures;
    const figures = this.repository.read().then(toFigures);
    this.cached = { figures, readAtMs: Date.now() };
    // A failure is not cached. The callers receive it from the returned promise.
    figures.catch(() => (this.cached = undefined));
    return figures;
  }
}

const toFigures = (row: FiguresRow): ModerationFigures => ({
  openCases: row.open_cases,
  oldestOpenCaseAgeS: row.oldest_open_case_age_s,
  timeToDecisionS: { p50: row.decision_p50_s, p95: row.decision_p95_s },
  reportsByCategory: row.reports_by_category,
  decisions: row.decisions,
  appeals: row.appeals,
  reportsPer1000Matches: computePer1000(row.reports, row.matches),
  blocksPer1000Matches: computePer1000(row.blocks, row.matches),
  carePool: row.care_pool, // number of flagged users, who are matched only with each other
});

/** Rounds to three decimals. */
const computePer1000 = (count: number, matches: number): number =>
  matches === 0 ? 0 : Math.round((count / matches) * 1_000_000) / 1_000;
