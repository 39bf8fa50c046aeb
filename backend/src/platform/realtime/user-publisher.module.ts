import { Module } from '@nestjs/common';
import { UserPublisherService } from './user-publisher.service';

/** Publications to users' sockets, for every process: one that publishes need not have sockets itself. */
@Module({ providers: [UserPublisherService], exports: [UserPublisherService] })
export class UserPublisherModule {}
