import { Module } from '@nestjs/common';
import { UploadsWorkerModule } from '../uploads/uploads-worker.module';
import { OutboxWaker } from './application/outbox-waker';
import { BodyExpirer } from './jobs/body-expirer';
import { EndedStreamExpiry } from './jobs/ended-stream-expiry';
import { ChatStreamSweeper } from './jobs/chat-stream-sweeper';
import { HeldChats } from './jobs/held-chats';
import { OutboxProcessor } from './jobs/outbox.processor';
import { OutboxWatchdog } from './jobs/outbox-watchdog';
import { OutboxWriter } from './jobs/outbox-writer.service';
import { RandomChatReadModelModule } from './random-chat-read-model.module';

/** The part of random chat that runs in the worker. */
@Module({
  imports: [RandomChatReadModelModule, UploadsWorkerModule],
  providers: [
    BodyExpirer,
    EndedStreamExpiry,
    ChatStreamSweeper,
    HeldChats,
    OutboxProcessor,
    OutboxWaker,
    OutboxWatchdog,
    OutboxWriter,
  ],
})
export class RandomChatWorkerModule {}
