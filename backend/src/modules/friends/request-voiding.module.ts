import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { RequestVoidingService } from './application/request-voiding.service';
import { FriendsReadModelModule } from './friends-read-model.module';

/** Voids friend requests for safety; used by api replicas and workers. */
@Module({
  imports: [BlocksReadModelModule, FriendsReadModelModule],
  providers: [RequestVoidingService],
  exports: [RequestVoidingService],
})
export class RequestVoidingModule {}
