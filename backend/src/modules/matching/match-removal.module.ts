import { Module } from '@nestjs/common';
import { MatchRemovalService } from './application/match-removal.service';

@Module({ providers: [MatchRemovalService], exports: [MatchRemovalService] })
export class MatchRemovalModule {}
