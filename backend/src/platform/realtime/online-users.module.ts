import { Global, Module } from '@nestjs/common';
import { OnlineUsersService } from './online-users.service';

/** Who is online, over all replicas. */
@Global()
@Module({ providers: [OnlineUsersService], exports: [OnlineUsersService] })
export class OnlineUsersModule {}
