import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { DeviceAccountsService } from './application/device-accounts.service';
import { StandingsService } from './application/standings.service';
import { StandingsReadModelModule } from './standings-read-model.module';

/**
 * Standings of users (whether a user is suspended or banned, for example) and their devices, for every module of an api
 * replica or a worker. Depends on the platform only.
 */
@Module({
  imports: [StandingsReadModelModule, UserPublisherModule],
  providers: [StandingsService, DeviceAccountsService],
  exports: [StandingsService, DeviceAccountsService, StandingsReadModelModule],
})
export class StandingsModule {}
