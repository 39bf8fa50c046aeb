import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { MatchQueueService } from './application/match-queue.service';
import { MatchmakingService } from './application/matchmaking.service';

@Module({
  imports: [BlocksReadModelModule],
  providers: [MatchQueueService, MatchmakingService],
  exports: [MatchQueueService, MatchmakingService],
})
export class MatchingModule {}
