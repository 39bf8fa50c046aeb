import { Module } from '@nestjs/common';
import { MatchQueueService } from './application/match-queue.service';
import { MatchmakingService } from './application/matchmaking.service';

@Module({
  providers: [MatchQueueService, MatchmakingService],
  exports: [MatchQueueService, MatchmakingService],
})
export class MatchingModule {}
