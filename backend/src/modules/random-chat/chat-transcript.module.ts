import { Module } from '@nestjs/common';
import { ChatTranscriptService } from './application/chat-transcript.service';
import { PersistedChatRepository } from './infrastructure/persisted-chat.repository';
import { RandomChatReadModelModule } from './random-chat-read-model.module';

/** What was said in chats, for every process. */
@Module({
  imports: [RandomChatReadModelModule],
  providers: [ChatTranscriptService, PersistedChatRepository],
  exports: [ChatTranscriptService, PersistedChatRepository],
})
export class ChatTranscriptModule {}
