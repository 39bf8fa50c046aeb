import { Injectable } from '@nestjs/common';
import { isExcluded } from '@thaw/contract/safety';
import { StandingsService } from '../../standings/application/standings.service';
import { ReportRepository } from '../infrastructure/report.repository';

/** A reporter can be unreliable from this number of decided reports on. */
const MIN_DECIDED_REPORTS = 5;
/** A reporter is unreliable if at least this share of their decided reports was dismissed. */
const UNRELIABLE_DISMISSED_SHARE = 0.8;

/**
 * Decides whether a user's reports count towards automatic care: it flags or suspends users whom several others report.
 * Moderators see every report, whatever its weight.
 */
@Injectable()
export class ReporterWeightService {
  constructor(
    private readonly standings: StandingsService,
    private readonly reports: ReportRepository,
  ) {}

  /** @returns 0 (reports do not count) if the reporter is suspended, banned or unreliable, otherwise 1. */
  async weigh(reporterId: number): Promise<0 | 1> {
    const [standing, { decided, dismissed }] = await Promise.all([
      this.standings.find(reporterId),
      this.reports.countDecided(reporterId),
    ]);
    const isUnreliable = decided >= MIN_DECIDED_REPORTS && dismissed / decided >= UNRELIABLE_DISMISSED_SHARE;
    return isExcluded(standing) || isUnreliable ? 0 : 1;
  }
}
