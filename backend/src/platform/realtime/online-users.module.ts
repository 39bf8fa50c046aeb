import { Global, Module } from '@nestjs/common';
import { OnlineUsers } from './online-users';

/** Who is online, over all replicas. */
@Global()
@Module({ providers: [OnlineUsers], exports: [OnlineUsers] })
export class OnlineUsersModule {}
