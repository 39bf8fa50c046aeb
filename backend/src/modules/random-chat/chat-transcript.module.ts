import { Module } from '@nestjs/common';
import { ChatTranscriptService } from './application/chat-transcript.service';
import { PersistedChatRepository } from './infrastructure/persisted-chat.repository';
import { RandomChatReadModelModule } from './random-chat-read-model.module';

/** Reads the messages of chats from Redis and PostgreSQL. Used by the api and the worker. */
@Module({
  imports: [RandomChatReadModelModule],
  providers: [ChatTranscriptService, PersistedChatRepository],
  exports: [ChatTranscriptService, PersistedChatRepository],
})
export class ChatTranscriptModule {}
