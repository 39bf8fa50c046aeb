import { Module } from '@nestjs/common';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { LastMessageService } from './application/last-message.service';
import {
  privateMessageEventTypes,
  privateMessagesProjection,
} from './projections/private-messages.projection';

/** What has to be there wherever the log is read or written: the event types of private messages, and their table. */
@Module({ providers: [LastMessageService], exports: [LastMessageService] })
export class PrivateChatReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(privateMessageEventTypes);
    projections.register(privateMessagesProjection);
  }
}
