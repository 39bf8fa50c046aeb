import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { ChatHistoryEntity } from './infrastructure/chat-history.entity';
import { messageBodiesExpiryProjection, chatHistoryProjection } from './projections/chat-history.projection';
import { randomChatEventTypes } from './projections/random-chat.event-types';

/** Registers the event types and projections of random chats, in every process that reads or writes the event log. */
@Module({ imports: [TypeOrmModule.forFeature([ChatHistoryEntity])], exports: [TypeOrmModule] })
export class RandomChatReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(randomChatEventTypes);
    projections.register(chatHistoryProjection);
    projections.register(messageBodiesExpiryProjection);
  }
}
