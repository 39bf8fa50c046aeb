import { Module } from '@nestjs/common';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { LastMessageService } from './application/last-message.service';
import { PrivateTranscriptService } from './application/private-transcript.service';
import {
  privateMessageEventTypes,
  privateMessagesProjection,
} from './projections/private-messages.projection';

/** Event types, projection and queries of private messages, for every process that reads or writes the event log. */
@Module({
  providers: [LastMessageService, PrivateTranscriptService],
  exports: [LastMessageService, PrivateTranscriptService],
})
export class PrivateChatReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(privateMessageEventTypes);
    projections.register(privateMessagesProjection);
  }
}
