import { Global, Module } from '@nestjs/common';
import { ChatLogRepository } from './chat-log.repository';
import { DeadLetterRepository } from './dead-letter.repository';
import { OutboxRepository } from './outbox.repository';

@Global()
@Module({
  providers: [ChatLogRepository, DeadLetterRepository, OutboxRepository],
  exports: [ChatLogRepository, DeadLetterRepository, OutboxRepository],
})
export class HotLogModule {}
