import { Global, Module } from '@nestjs/common';
import { ChatLog } from './chat-log';
import { ChatPresence } from './chat-presence';
import { Outbox } from './outbox';

@Global()
@Module({ providers: [ChatLog, ChatPresence, Outbox], exports: [ChatLog, ChatPresence, Outbox] })
export class HotLogModule {}
