import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { StandingsService } from './application/standings.service';
import { StandingsReadModelModule } from './standings-read-model.module';

/** Standings of users, for every module of an api replica or a worker. Depends on the platform only. */
@Module({
  imports: [StandingsReadModelModule, UserPublisherModule],
  providers: [StandingsService],
  exports: [StandingsService, StandingsReadModelModule],
})
export class StandingsModule {}
