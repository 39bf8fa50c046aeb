import { Module } from '@nestjs/common';
import { UserPublisherModule } from '../../platform/realtime/user-publisher.module';
import { AuthModule } from '../auth/auth.module';
import { UsersModule } from '../users/users.module';
import { AccountDeletionService } from './application/account-deletion.service';
import { ReceiptSignerService } from './application/receipt-signer.service';
import { ReceiptsService } from './application/receipts.service';
import { ErasureRequestsModule } from './erasure-requests.module';
import { MyDataController } from './transport/my-data.controller';
import { ReceiptsController } from './transport/receipts.controller';

@Module({
  imports: [AuthModule, ErasureRequestsModule, UserPublisherModule, UsersModule],
  controllers: [MyDataController, ReceiptsController],
  providers: [AccountDeletionService, ReceiptSignerService, ReceiptsService],
})
export class MyDataModule {}
