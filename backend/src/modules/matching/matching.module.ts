import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { MatchQueueService } from './application/match-queue.service';
import { MatchmakingService } from './application/matchmaking.service';
import { SearchExclusionsService } from './application/search-exclusions.service';

@Module({
  imports: [BlocksReadModelModule],
  providers: [MatchQueueService, MatchmakingService, SearchExclusionsService],
  exports: [MatchQueueService, MatchmakingService],
})
export class MatchingModule {}
