import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { ModeratorActionEntity } from './infrastructure/moderator-action.entity';
import { moderatorActionsProjection, moderatorEventTypes } from './projections/moderator-actions.projection';

/** Event type, projection and table of the audit log, for every process that reads or writes the event log. */
@Module({ imports: [TypeOrmModule.forFeature([ModeratorActionEntity])], exports: [TypeOrmModule] })
export class ModerationReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(moderatorEventTypes);
    projections.register(moderatorActionsProjection);
  }
}
