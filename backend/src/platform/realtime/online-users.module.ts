import { Global, Module } from '@nestjs/common';
import { OnlineUsersService } from './online-users.service';

/** The online users of all replicas. */
@Global()
@Module({ providers: [OnlineUsersService], exports: [OnlineUsersService] })
export class OnlineUsersModule {}
