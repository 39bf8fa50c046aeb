import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { RequestVoidingService } from './application/request-voiding.service';
import { FriendsReadModelModule } from './friends-read-model.module';

/**
 * Voids friend requests (ends them without an answer) when one of the users has written that they are under 18. Api
 * replicas and workers import this module.
 */
@Module({
  imports: [BlocksReadModelModule, FriendsReadModelModule],
  providers: [RequestVoidingService],
  exports: [RequestVoidingService],
})
export class RequestVoidingModule {}
