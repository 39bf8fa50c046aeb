import { Module } from '@nestjs/common';
import { ChatPresence } from '../../platform/hot-log/chat-presence';
import { MatchingModule } from '../matching/matching.module';
import { UploadsModule } from '../uploads/uploads.module';
import { UsersModule } from '../users/users.module';
import { Arrivals } from './application/arrivals';
import { ChatKeeper } from './application/chat-keeper';
import { ChatRecordsService } from './application/chat-records.service';
import { LiveChats } from './application/live-chats';
import { OutboxWaker } from './application/outbox-waker';
import { Acquaintances } from './application/acquaintances';
import { ChatHistoryRepository } from './infrastructure/chat-history.repository';
import { RandomChatReadModelModule } from './random-chat-read-model.module';
import { ChatHistoryController } from './transport/chat-history.controller';
import { IcebreakerGateway } from './transport/icebreaker.gateway';
import { QueueGateway } from './transport/queue.gateway';
import { RandomChatGateway } from './transport/random-chat.gateway';

@Module({
  imports: [RandomChatReadModelModule, MatchingModule, UploadsModule, UsersModule],
  controllers: [ChatHistoryController],
  providers: [
    Acquaintances,
    Arrivals,
    ChatHistoryRepository,
    ChatKeeper,
    ChatPresence,
    ChatRecordsService,
    IcebreakerGateway,
    LiveChats,
    OutboxWaker,
    QueueGateway,
    RandomChatGateway,
  ],
  exports: [Acquaintances],
})
export class RandomChatModule {}
