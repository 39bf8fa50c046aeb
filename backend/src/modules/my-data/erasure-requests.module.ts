import { Module } from '@nestjs/common';
import { UsersReadModelModule } from '../users/users-read-model.module';
import { ErasureRequestService } from './application/erasure-request.service';
import { ErasureRepository } from './infrastructure/erasure.repository';
import { UserDataRepository } from './infrastructure/user-data.repository';

/** Requests for erasures, for every process that makes or executes them. */
@Module({
  imports: [UsersReadModelModule],
  providers: [ErasureRepository, ErasureRequestService, UserDataRepository],
  exports: [ErasureRepository, ErasureRequestService, UserDataRepository],
})
export class ErasureRequestsModule {}
