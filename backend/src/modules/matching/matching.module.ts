import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { StandingsModule } from '../standings/standings.module';
import { MatchMetricsRegistry } from './application/match-metrics.registry';
import { MatchQueueService } from './application/match-queue.service';
import { MatchmakingService } from './application/matchmaking.service';
import { OverdueMatchesService } from './application/overdue-matches.service';
import { SearchExclusionsService } from './application/search-exclusions.service';

@Module({
  imports: [BlocksReadModelModule, StandingsModule],
  providers: [
    MatchMetricsRegistry,
    MatchQueueService,
    MatchmakingService,
    OverdueMatchesService,
    SearchExclusionsService,
  ],
  exports: [MatchQueueService, MatchmakingService],
})
export class MatchingModule {}
