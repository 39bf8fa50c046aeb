import { Module } from '@nestjs/common';
import { UserPublisherService } from '../../platform/realtime/user-publisher.service';
import { StandingsModule } from '../standings/standings.module';
import { ConductService } from './application/conduct.service';
import { NoticesService } from './application/notices.service';
import { ConductReadModelModule } from './conduct-read-model.module';

/** Commands about users' conduct, for every module of an api replica or a worker. */
@Module({
  imports: [ConductReadModelModule, StandingsModule],
  // Provided here as well, since a worker has no RealtimeModule.
  providers: [ConductService, NoticesService, UserPublisherService],
  exports: [ConductService, NoticesService, ConductReadModelModule],
})
export class ConductModule {}
