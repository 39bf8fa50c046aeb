import { Injectable } from '@nestjs/common';
import { isExcluded } from '@thaw/contract/safety';
import { StandingsService } from '../../standings/application/standings.service';
import { ReportRepository } from '../infrastructure/report.repository';

/** A reporter's accuracy counts from this number of decided reports on. */
const MIN_DECIDED = 5;
/** From this share of dismissed reports on, further ones do not count towards automatic care. */
const MAX_DISMISSED_SHARE = 0.8;

/** How much reports of a user count towards automatic care. A moderator sees every report. */
@Injectable()
export class ReporterWeightService {
  constructor(
    private readonly standings: StandingsService,
    private readonly reports: ReportRepository,
  ) {}

  async weigh(reporterId: number): Promise<0 | 1> {
    const [standing, { decided, dismissed }] = await Promise.all([
      this.standings.find(reporterId),
      this.reports.countDecided(reporterId),
    ]);
    const isUnreliable = decided >= MIN_DECIDED && dismissed / decided >= MAX_DISMISSED_SHARE;
    return isExcluded(standing) || isUnreliable ? 0 : 1;
  }
}
