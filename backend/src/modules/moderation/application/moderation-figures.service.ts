import { Injectable } from '@nestjs/common';
import type { ModerationFigures } from '@thaw/contract/moderation-records';
import { FiguresRepository, type FiguresRow } from '../infrastructure/figures.repository';

/** The figures of the last 30 days read many rows, and several scrapes and pages ask for them. */
const KEPT_MS = 60_000;

/** The figures of moderation, at most a minute old. */
@Injectable()
export class ModerationFiguresService {
  private kept: { figures: Promise<ModerationFigures>; readAtMs: number } | undefined;

  constructor(private readonly repository: FiguresRepository) {}

  read(): Promise<ModerationFigures> {
    if (this.kept && Date.now() - this.kept.readAtMs < KEPT_MS) return this.kept.figures;
    const figures = this.repository.read().then(toFigures);
    this.kept = { figures, readAtMs: Date.now() };
    // A failure is not kept.
    figures.catch(() => (this.kept = undefined));
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
  carePool: row.care_pool,
});

const computePer1000 = (count: number, matches: number): number =>
  matches === 0 ? 0 : Math.round((count / matches) * 1_000_000) / 1_000;
