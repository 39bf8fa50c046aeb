import { Module } from '@nestjs/common';
import { ChatPresenceService } from '../../platform/hot-log/chat-presence.service';
import { MetricsRegistry } from '../../platform/observability/metrics.registry';
import { BlocksReadModelModule } from '../blocks/blocks-read-model.module';
import { MatchingModule } from '../matching/matching.module';
import { UploadsModule } from '../uploads/uploads.module';
import { UsersModule } from '../users/users.module';
import { ConnectionResumeService } from './application/connection-resume.service';
import { ChatLifecycleService } from './application/chat-lifecycle.service';
import { ChatMetricsRegistry } from './application/chat-metrics.registry';
import { ChatRecordsService } from './application/chat-records.service';
import { LiveChatService } from './application/live-chat.service';
import { OutboxSchedulerService } from './application/outbox-scheduler.service';
import { PastChatService } from './application/past-chat.service';
import { PastPartnersService } from './application/past-partners.service';
import { ChatTranscriptModule } from './chat-transcript.module';
import { ChatHistoryRepository } from './infrastructure/chat-history.repository';
import { RandomChatReadModelModule } from './random-chat-read-model.module';
import { ChatHistoryController } from './transport/chat-history.controller';
import { IcebreakerGateway } from './transport/icebreaker.gateway';
import { QueueGateway } from './transport/queue.gateway';
import { RandomChatGateway } from './transport/random-chat.gateway';

@Module({
  imports: [
    BlocksReadModelModule,
    ChatTranscriptModule,
    MatchingModule,
    RandomChatReadModelModule,
    UploadsModule,
    UsersModule,
  ],
  controllers: [ChatHistoryController],
  providers: [
    PastPartnersService,
    PastChatService,
    ConnectionResumeService,
    ChatHistoryRepository,
    ChatLifecycleService,
    ChatMetricsRegistry,
    ChatPresenceService,
    ChatRecordsService,
    IcebreakerGateway,
    LiveChatService,
    OutboxSchedulerService,
    QueueGateway,
    RandomChatGateway,
  ],
  exports: [PastChatService, PastPartnersService],
})
export class RandomChatModule {
  constructor(chats: LiveChatService, metrics: MetricsRegistry) {
    metrics.addLiveGauge(
      'thaw_live_chats',
      'Chats in which a participant has a socket on this replica',
      () => chats.size,
    );
  }
}
