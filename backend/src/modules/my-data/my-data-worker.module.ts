import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { ConductErasureModule } from '../conduct/conduct-erasure.module';
import { FriendshipErasureModule } from '../friends/friendship-erasure.module';
import { ChatErasureModule } from '../random-chat/chat-erasure.module';
import { UploadsWorkerModule } from '../uploads/uploads-worker.module';
import { UsersReadModelModule } from '../users/users-read-model.module';
import { ReceiptSignerService } from './application/receipt-signer.service';
import { ErasureRequestsModule } from './erasure-requests.module';
import { ErasureLedgerRepository } from './infrastructure/erasure-ledger.repository';
import { ErasureProcessor } from './jobs/erasure.processor';
import { ErasureService } from './jobs/erasure.service';

/** The erasure of users, which runs in the worker. */
@Module({
  imports: [
    BlocksReadModelModule,
    ChatErasureModule,
    ConductErasureModule,
    ErasureRequestsModule,
    FriendshipErasureModule,
    UploadsWorkerModule,
    UsersReadModelModule,
  ],
  providers: [ErasureLedgerRepository, ErasureProcessor, ErasureService, ReceiptSignerService],
})
export class MyDataWorkerModule {}
