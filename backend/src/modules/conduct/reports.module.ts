import { Module } from '@nestjs/common';
import { BlocksModule } from '../blocks/blocks.module';
import { FriendsModule } from '../friends/friends.module';
import { PrivateChatReadModelModule } from '../private-chat/private-chat-read-model.module';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { StandingsModule } from '../standings/standings.module';
import { UploadsModule } from '../uploads/uploads.module';
import { UsersModule } from '../users/users.module';
import { ReportableChatService } from './application/reportable-chat.service';
import { ReporterWeightService } from './application/reporter-weight.service';
import { ReportsService } from './application/reports.service';
import { ConductModule } from './conduct.module';
import { EvidenceModule } from './evidence.module';
import { ReportRepository } from './infrastructure/report.repository';
import { ReportsController } from './transport/reports.controller';

/** Reports by users. The server copies messages of the chat as evidence. */
@Module({
  imports: [
    BlocksModule,
    ConductModule,
    EvidenceModule,
    FriendsModule,
    PrivateChatReadModelModule,
    RandomChatModule,
    StandingsModule,
    UploadsModule,
    UsersModule,
  ],
  controllers: [ReportsController],
  providers: [ReportableChatService, ReporterWeightService, ReportRepository, ReportsService],
})
export class ReportsModule {}
