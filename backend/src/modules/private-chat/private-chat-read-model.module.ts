import { Module } from '@nestjs/common';
import { EventTypes } from '../../platform/event-store/event-types';
import { Projections } from '../../platform/event-store/projection';
import { LastMessageService } from './application/last-message.service';
import {
  privateMessageEventTypes,
  privateMessagesProjection,
} from './projections/private-messages.projection';

/** What has to be there wherever the log is read or written: the event types of private messages, and their table. */
@Module({ providers: [LastMessageService], exports: [LastMessageService] })
export class PrivateChatReadModelModule {
  constructor(eventTypes: EventTypes, projections: Projections) {
    eventTypes.register(privateMessageEventTypes);
    projections.register(privateMessagesProjection);
  }
}
