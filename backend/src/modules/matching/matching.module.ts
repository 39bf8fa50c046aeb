import { Module } from '@nestjs/common';
import { MatchSeeker } from './application/match-seeker';
import { MatchingService } from './application/matching.service';

@Module({
  providers: [MatchingService, MatchSeeker],
  exports: [MatchingService, MatchSeeker],
})
export class MatchingModule {}
