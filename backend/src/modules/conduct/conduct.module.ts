import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { StandingsModule } from '../standings/standings.module';
import { ConductService } from './application/conduct.service';
import { NewAccountsService } from './application/new-accounts.service';
import { NoticesService } from './application/notices.service';
import { ConductReadModelModule } from './conduct-read-model.module';

/** Executes commands about users' conduct (reports, cases, sanctions) and sends notices; for replicas and workers. */
@Module({
  imports: [ConductReadModelModule, StandingsModule, UserPublisherModule],
  providers: [ConductService, NoticesService, NewAccountsService],
  exports: [ConductService, NoticesService, ConductReadModelModule],
})
export class ConductModule {}
