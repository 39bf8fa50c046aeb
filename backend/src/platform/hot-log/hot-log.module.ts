import { Global, Module } from '@nestjs/common';
import { ChatLog } from './chat-log';
import { DeadLetters } from './dead-letters';
import { Outbox } from './outbox';

@Global()
@Module({ providers: [ChatLog, DeadLetters, Outbox], exports: [ChatLog, DeadLetters, Outbox] })
export class HotLogModule {}
