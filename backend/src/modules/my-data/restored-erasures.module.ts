import { Module } from '@nestjs/common';
import { StorageModule } from '../../platform/storage/storage.module';
import { RestoredErasuresService } from './application/restored-erasures.service';
import { ErasureRequestsModule } from './erasure-requests.module';
import { ErasureLedgerRepository } from './infrastructure/erasure-ledger.repository';

/** The comparison of the database with the ledger of erasures, which a migration makes. */
@Module({
  imports: [ErasureRequestsModule, StorageModule],
  providers: [ErasureLedgerRepository, RestoredErasuresService],
  exports: [RestoredErasuresService],
})
export class RestoredErasuresModule {}
