import { Module } from '@nestjs/common';
import { StorageModule } from '../../platform/storage/storage.module';
import { RestoredErasuresService } from './application/restored-erasures.service';
import { ErasureRequestsModule } from './erasure-requests.module';
import { ErasureLedgerRepository } from './infrastructure/erasure-ledger.repository';

/**
 * After a backup was restored, requests again the erasures that the database lacks. The ledger of erasures, which is
 * stored outside the database, still has them. Used by `main.migrate`.
 */
@Module({
  imports: [ErasureRequestsModule, StorageModule],
  providers: [ErasureLedgerRepository, RestoredErasuresService],
  exports: [RestoredErasuresService],
})
export class RestoredErasuresModule {}
