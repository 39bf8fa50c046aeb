import { Module } from '@nestjs/common';
import { StorageModule } from '../../platform/storage/storage.module';
import { RestoredErasuresService } from './application/restored-erasures.service';
import { ErasureRequestsModule } from './erasure-requests.module';
import { ErasureLedgerRepository } from './infrastructure/erasure-ledger.repository';

/** Compares the database with the ledger of erasures, which is stored outside it. Used by `main.migrate`. */
@Module({
  imports: [ErasureRequestsModule, StorageModule],
  providers: [ErasureLedgerRepository, RestoredErasuresService],
  exports: [RestoredErasuresService],
})
export class RestoredErasuresModule {}
