import { Module } from '@nestjs/common';
import { UserPublisherService } from '../../platform/realtime/user-publisher.service';
import { StandingsService } from './application/standings.service';
import { StandingsReadModelModule } from './standings-read-model.module';

/** Standings of users, for every module of an api replica or a worker. Depends on the platform only. */
@Module({
  imports: [StandingsReadModelModule],
  // Provided here as well, since a worker has no RealtimeModule.
  providers: [StandingsService, UserPublisherService],
  exports: [StandingsService, StandingsReadModelModule],
})
export class StandingsModule {}
