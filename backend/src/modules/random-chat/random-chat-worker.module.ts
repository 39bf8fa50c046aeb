import { Module } from '@nestjs/common';
import { UploadsWorkerModule } from '../uploads/uploads-worker.module';
import { OutboxWaker } from './application/outbox-waker';
import { BodyExpirer } from './jobs/body-expirer';
import { LanePersister } from './jobs/lane-persister';
import { OutboxWatchdog } from './jobs/outbox-watchdog';
import { RandomChatReadModelModule } from './random-chat-read-model.module';

/** The part of random chat that runs in the worker. */
@Module({
  imports: [RandomChatReadModelModule, UploadsWorkerModule],
  providers: [BodyExpirer, LanePersister, OutboxWaker, OutboxWatchdog],
  exports: [LanePersister],
})
export class RandomChatWorkerModule {}
