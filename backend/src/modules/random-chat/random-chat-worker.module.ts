import { Module } from '@nestjs/common';
import { UploadsWorkerModule } from '../uploads/uploads-worker.module';
import { OutboxSchedulerService } from './application/outbox-scheduler.service';
import { ChatStreamExpiryRepository } from './infrastructure/chat-stream-expiry.repository';
import { BodyExpiryProcessor } from './jobs/body-expiry.processor';
import { EndedStreamExpiryService } from './jobs/ended-stream-expiry.service';
import { ExpiryShorteningService } from './jobs/expiry-shortening.service';
import { ChatStreamSweepProcessor } from './jobs/chat-stream-sweep.processor';
import { HeldChatRegistry } from './jobs/held-chat.registry';
import { OutboxProcessor } from './jobs/outbox.processor';
import { OutboxWatchdogService } from './jobs/outbox-watchdog.service';
import { OutboxWriterService } from './jobs/outbox-writer.service';
import { RandomChatReadModelModule } from './random-chat-read-model.module';

/** The part of random chat that runs in the worker process. */
@Module({
  imports: [RandomChatReadModelModule, UploadsWorkerModule],
  providers: [
    BodyExpiryProcessor,
    EndedStreamExpiryService,
    ExpiryShorteningService,
    ChatStreamExpiryRepository,
    ChatStreamSweepProcessor,
    HeldChatRegistry,
    OutboxProcessor,
    OutboxSchedulerService,
    OutboxWatchdogService,
    OutboxWriterService,
  ],
})
export class RandomChatWorkerModule {}
