import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { ChatHistoryEntity } from './infrastructure/chat-history.entity';
import { bodiesExpiryProjection, chatHistoryProjection } from './projections/chat-history.projection';
import { randomChatEventTypes } from './projections/random-chat.event-types';

/** Required wherever the log is read or written: the event types of chats, and their history. */
@Module({ imports: [TypeOrmModule.forFeature([ChatHistoryEntity])], exports: [TypeOrmModule] })
export class RandomChatReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(randomChatEventTypes);
    projections.register(chatHistoryProjection);
    projections.register(bodiesExpiryProjection);
  }
}
