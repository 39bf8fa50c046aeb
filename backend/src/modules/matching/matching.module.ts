import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { StandingsModule } from '../standings/standings.module';
import { MatchMetricsRegistry } from './application/match-metrics.registry';
import { MatchQueueService } from './application/match-queue.service';
import { MatchmakingService } from './application/matchmaking.service';
import { OverdueMatchesService } from './application/overdue-matches.service';
import { QueueStatusService } from './application/queue-status.service';
import { SearchExclusionsService } from './application/search-exclusions.service';
import { WaitingUserCheckService } from './application/waiting-user-check.service';
import { WaitingUserRegistry } from './application/waiting-user.registry';

@Module({
  imports: [BlocksReadModelModule, StandingsModule],
  providers: [
    MatchMetricsRegistry,
    MatchQueueService,
    MatchmakingService,
    OverdueMatchesService,
    QueueStatusService,
    SearchExclusionsService,
    WaitingUserCheckService,
    WaitingUserRegistry,
  ],
  exports: [MatchQueueService, MatchmakingService],
})
export class MatchingModule {}
