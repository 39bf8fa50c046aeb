import { Global, Module } from '@nestjs/common';
import { ChatLog } from './chat-log';
import { Outbox } from './outbox';

@Global()
@Module({ providers: [ChatLog, Outbox], exports: [ChatLog, Outbox] })
export class HotLogModule {}
