import { Module } from '@nestjs/common';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { RequestVoidingService } from './application/request-voiding.service';
import { FriendsReadModelModule } from './friends-read-model.module';

/** The end of friend requests for safety, in an api replica or a worker. */
@Module({
  imports: [BlocksReadModelModule, FriendsReadModelModule],
  providers: [RequestVoidingService],
  exports: [RequestVoidingService],
})
export class RequestVoidingModule {}
