import { Global, Module } from '@nestjs/common';
import { HotLog } from './hot-log';
import { Outbox } from './outbox';

@Global()
@Module({ providers: [HotLog, Outbox], exports: [HotLog, Outbox] })
export class HotLogModule {}
