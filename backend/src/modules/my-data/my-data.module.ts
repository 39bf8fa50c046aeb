import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { AuthModule } from '../auth/auth.module';
import { StandingsModule } from '../standings/standings.module';
import { UsersModule } from '../users/users.module';
import { AccountDeletionService } from './application/account-deletion.service';
import { ExportContentService } from './application/export-content.service';
import { ExportService } from './application/export.service';
import { ReceiptSignerService } from './application/receipt-signer.service';
import { ReceiptsService } from './application/receipts.service';
import { ErasureRequestsModule } from './erasure-requests.module';
import { ExportRepository } from './infrastructure/export.repository';
import { ExportTicketRepository } from './infrastructure/export-ticket.repository';
import { MyDataExportsController } from './transport/my-data-exports.controller';
import { MyDataController } from './transport/my-data.controller';
import { ReceiptsController } from './transport/receipts.controller';

/** Lets users export their data and delete their accounts. The worker executes the erasures. */
@Module({
  imports: [AuthModule, ErasureRequestsModule, StandingsModule, UserPublisherModule, UsersModule],
  controllers: [MyDataController, MyDataExportsController, ReceiptsController],
  providers: [
    AccountDeletionService,
    ExportContentService,
    ExportRepository,
    ExportService,
    ExportTicketRepository,
    ReceiptSignerService,
    ReceiptsService,
  ],
})
export class MyDataModule {}
